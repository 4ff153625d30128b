// expect: ok="RangeError"
// timeout: 5000
// memory: 128MiB
let seen;
try {
  Math.max(...new Array(5000000).fill(1));
} catch (error) {
  seen = error.name;
}
seen;
