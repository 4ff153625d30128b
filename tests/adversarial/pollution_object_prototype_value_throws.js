// expect: code=runtime_error
// message: from the getter
Object.defineProperty(Object.prototype, 'value', {
  get() {
    throw new Error('from the getter');
  },
  set() {},
  configurable: true,
});
42;
