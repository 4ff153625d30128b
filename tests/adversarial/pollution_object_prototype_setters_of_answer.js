// An answer's members are defined, not set.
// expect: ok={"danger":1,"list":[1,2]}
Object.defineProperty(Object.prototype, 'danger', {
  set() {
    throw new Error('a setter ran');
  },
  configurable: true,
});
await tools.echo(JSON.parse('{"danger": 1, "list": [1, 2]}'));
