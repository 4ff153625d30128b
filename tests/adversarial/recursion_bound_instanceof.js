// expect: ok="RangeError"
// timeout: 5000
let bound = function () {};
for (let i = 0; i < 20000; i++) {
  Object.defineProperty(bound, 'name', { value: '' });
  bound = bound.bind(null);
}
let seen;
try {
  ({}) instanceof bound;
} catch (error) {
  seen = error.name;
}
seen;
