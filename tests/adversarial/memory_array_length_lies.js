// An array-like length in every shape that a conversion could trip over.
// expect: ok=["RangeError","RangeError","RangeError","RangeError",0]
const name = (length) => {
  try {
    return new Array(length).length;
  } catch (error) {
    return error.name;
  }
};
[name(-1), name(2 ** 32), name(1.5), name(NaN), new Array('0').length - 1];
