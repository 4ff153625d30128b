// expect: ok=["RangeError","RangeError","0","-1"]
const name = (f) => {
  try {
    return String(f());
  } catch (error) {
    return error.name;
  }
};
[name(() => 1n << (2n ** 62n)), name(() => -1n << 2n ** 31n), name(() => 1n >> 2n ** 64n), name(() => -1n >> 2n ** 64n)];
