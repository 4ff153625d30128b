// Where there is no room for more frames, recursion ends as it does elsewhere.
// expect: ok=["RangeError",true]
// memory: 2MiB
// timeout: 5000
let depth = 0;
const f = () => {
  depth++;
  f();
};
let seen;
try {
  f();
} catch (error) {
  seen = error.name;
}
[seen, depth > 2000];
