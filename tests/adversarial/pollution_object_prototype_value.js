// The parser wraps a value as {value}. It is defined there, not set, so an accessor of that name is never asked.
// expect: ok=42
Object.defineProperty(Object.prototype, 'value', {
  get() {
    return 'forged';
  },
  set() {},
  configurable: true,
});
42;
