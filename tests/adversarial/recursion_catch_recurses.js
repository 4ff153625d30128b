// The handler of the overflow recurses itself: exponential, and never past the timeout.
// expect: code=timeout
// timeout: 200
function f() {
  try {
    f();
  } catch {
    f();
  }
}
f();
