// As above, until there is no stack left: a refused input is a rejected promise, at every level. Nobody
// handles those, so the program fails, but for execbox.
// expect: code=serialization_error
// runner: ok="object"
// timeout: 10000
const endless = () => ({
  get deeper() {
    tools.echo(endless());
    return 1;
  },
});
typeof tools.echo(endless());
