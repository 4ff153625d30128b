// The result's getter throws away the world while the report is written.
// expect: ok={"a":1}
({
  get a() {
    Promise.reject(new Error('late'));
    queueMicrotask(() => {
      throw new Error('later');
    });
    globalThis.Promise = null;
    Object.prototype.toString = null;
    return 1;
  },
});
