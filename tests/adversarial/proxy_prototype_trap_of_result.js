// expect: code=timeout
// timeout: 150
new Proxy({}, {
  getPrototypeOf() {
    for (;;) {}
  },
});
