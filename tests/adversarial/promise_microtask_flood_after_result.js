// The result is there, and jobs go on making jobs.
// expect: code=timeout
// timeout: 150
(function again() {
  queueMicrotask(again);
})();
'result';
