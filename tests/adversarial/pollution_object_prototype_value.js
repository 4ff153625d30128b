// The parser wraps a script's value as {value}: an accessor of that name sees it. It is the program's own result to spoil.
// expect: ok="forged"
Object.defineProperty(Object.prototype, 'value', {
  get() {
    return 'forged';
  },
  set() {},
  configurable: true,
});
42;
