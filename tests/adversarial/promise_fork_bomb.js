// Each job makes two.
// expect: code=memory_limit
// memory: 8MiB
// timeout: 30000
(function again() {
  queueMicrotask(again);
  queueMicrotask(again);
})();
