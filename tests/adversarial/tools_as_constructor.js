// expect: ok=["TypeError","undefined","echo"]
let seen;
try {
  new tools.echo(1);
} catch (error) {
  seen = error.name;
}
[seen, typeof tools.echo.prototype, tools.echo.name];
