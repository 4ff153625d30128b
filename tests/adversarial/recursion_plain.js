// expect: ok=["RangeError",true]
let depth = 0;
function f() {
  depth++;
  f();
}
let seen;
try {
  f();
} catch (error) {
  seen = error.name;
}
[seen, depth >= 2000];
