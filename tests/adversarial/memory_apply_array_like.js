// expect: ok="RangeError"
let seen;
try {
  Math.max.apply(null, { length: 2 ** 31 });
} catch (error) {
  seen = error.name;
}
seen;
