// expect: ok="RangeError"
// timeout: 5000
let bound = () => 1;
for (let i = 0; i < 20000; i++) {
  Object.defineProperty(bound, 'name', { value: '' });
  bound = bound.bind(null);
}
let seen;
try {
  bound();
} catch (error) {
  seen = error.name;
}
seen;
