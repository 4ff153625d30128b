// expect: code=timeout
// timeout: 150
await tools.echo({
  get a() {
    for (;;) {}
  },
});
