// A hundred thousand groups in one another: a syntax error or a RangeError, never a crash.
// expect: ok=true
let caught;
try {
  new RegExp('('.repeat(100000) + ')'.repeat(100000));
} catch (error) {
  caught = error;
}
caught instanceof Error;
