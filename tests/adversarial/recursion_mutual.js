// expect: ok="RangeError"
const even = (n) => odd(n + 1);
const odd = (n) => even(n + 1);
let seen;
try {
  even(0);
} catch (error) {
  seen = error.name;
}
seen;
