// Ten thousand overflows, each caught: nothing may be left damaged by any of them.
// expect: ok=[200,6]
// timeout: 20000
let caught = 0;
function f(n) {
  return [n, f(n + 1)];
}
for (let i = 0; i < 200; i++) {
  try {
    f(0);
  } catch (error) {
    if (error instanceof RangeError) caught++;
  }
}
[caught, [1, 2, 3].reduce((a, b) => a + b)];
