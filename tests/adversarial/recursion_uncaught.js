// expect: code=runtime_error
// message: call stack
(function f() {
  f();
})();
