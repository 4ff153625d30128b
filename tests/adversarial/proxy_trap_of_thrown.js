// expect: code=timeout
// timeout: 150
throw new Proxy(new Error('x'), {
  get() {
    for (;;) {}
  },
});
