// A job that a getter of the result queues, and that never ends: the result has been given by then.
// expect: ok={"a":1}
// timeout: 5000
({
  get a() {
    queueMicrotask(() => {
      for (;;) {}
    });
    return 1;
  },
});
