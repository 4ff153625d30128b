// expect: code=timeout
// timeout: 150
new Proxy({ a: 1 }, {
  getOwnPropertyDescriptor() {
    for (;;) {}
  },
});
