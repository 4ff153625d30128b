// yield* through a hundred thousand generators.
// expect: ok="RangeError"
// timeout: 5000
// memory: 128MiB
function* wrap(inner) {
  yield* inner;
}
let chain = [1][Symbol.iterator]();
for (let i = 0; i < 100000; i++) chain = wrap(chain);
let seen;
try {
  for (const value of chain) seen = value;
} catch (error) {
  seen = error.name;
}
seen;
