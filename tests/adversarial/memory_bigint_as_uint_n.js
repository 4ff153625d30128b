// expect: ok=["RangeError","0"]
const name = (f) => {
  try {
    return String(f());
  } catch (error) {
    return error.name;
  }
};
[name(() => BigInt.asUintN(2 ** 53 - 1, -1n)), name(() => BigInt.asUintN(2 ** 53 - 1, 0n))];
