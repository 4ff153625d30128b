// expect: ok=42
// timeout: 150
Object.defineProperty(Object.prototype, 'value', {
  get() {
    for (;;) {}
  },
  set() {},
  configurable: true,
});
42;
