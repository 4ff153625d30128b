// The result's getter calls tools: the program is over, they are called or not, and nothing hangs.
// expect: ok={"a":1}
({
  get a() {
    tools.hold(1);
    tools.echo(2);
    return 1;
  },
});
