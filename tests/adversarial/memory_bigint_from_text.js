// A million digits as source text and as a string.
// expect: ok="RangeError"
// timeout: 10000
let seen;
try {
  BigInt('9'.repeat(1000000));
} catch (error) {
  seen = error.name;
}
seen;
