// The result's getter throws away the world while the report is written. What it throws later is not caught.
// expect: code=runtime_error
// message: later
// runner: ok={"a":1}
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
