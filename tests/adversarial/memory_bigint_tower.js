// expect: ok="RangeError"
let seen;
try {
  2n ** (2n ** 30n);
} catch (error) {
  seen = error.name;
}
seen;
