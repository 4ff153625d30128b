// Setters for the first indices, on Object.prototype and on Array.prototype.
// expect: ok=[[1,2,3],{"0":"zero"}]
for (const prototype of [Object.prototype, Array.prototype]) {
  for (let i = 0; i < 10; i++) {
    Object.defineProperty(prototype, i, {
      get: () => 'forged',
      set() {
        throw new Error('set ' + i);
      },
      configurable: true,
    });
  }
}
await tools.echo([[1, 2, 3], { 0: 'zero' }]);
