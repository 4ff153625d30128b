// expect: code=timeout
// timeout: 150
await tools.echo(new Proxy({ a: 1 }, {
  getOwnPropertyDescriptor() {
    for (;;) {}
  },
}));
