// expect: ok=42
Object.defineProperty(Object.prototype, 'value', {
  get() {
    throw new Error('from the getter');
  },
  set() {},
  configurable: true,
});
42;
