// Longer than any string may be: a RangeError, and no memory is asked for.
// expect: ok=["RangeError","RangeError","RangeError"]
const name = (f) => {
  try {
    f();
  } catch (error) {
    return error.name;
  }
};
[name(() => 'x'.repeat(2 ** 31)), name(() => 'x'.padStart(2 ** 31)), name(() => 'x'.repeat(Infinity))];
