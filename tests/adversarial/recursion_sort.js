// expect: ok="RangeError"
const sort = () => [2, 1].sort(sort);
let seen;
try {
  sort();
} catch (error) {
  seen = error.name;
}
seen;
