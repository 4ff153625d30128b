// Frames on the heap to their end, then those of C, then what may run there.
// expect: ok=["RangeError",true]
// timeout: 20000
// memory: 64MiB
let depth = 0;
let deepest = 0;
const acts = [
  () => JSON.stringify({ toJSON: dive }),
  () => [3, 1, 2].sort(dive),
  () => `${{ toString: dive }}`,
  () => 'aaa'.replace(/a/g, dive),
  () => Reflect.construct(dive, []),
  () => [...(function* () { yield dive(); })()],
  () => new Proxy({}, { get: dive }).x,
  () => dive(...new Array(1000)),
  () => eval('dive()'),
];
function dive() {
  if (++depth > deepest) deepest = depth;
  try {
    return depth % 50 === 0 ? acts[depth % acts.length]() : dive();
  } finally {
    depth--;
  }
}
let seen;
for (let i = 0; i < 30; i++) {
  try {
    dive();
  } catch (error) {
    seen = error.name;
  }
}
[seen, depth === 0 && deepest > 10000];
