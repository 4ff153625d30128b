// Async functions and generators that go on with each other.
// expect: ok=["RangeError","RangeError"]
// timeout: 10000
// memory: 128MiB
const f = async () => await f();
async function* g() {
  yield* g();
}
const seen = [];
for (const attempt of [f, () => g().next()]) {
  try {
    await attempt();
    seen.push('nothing');
  } catch (error) {
    seen.push(error.name);
  }
}
seen;
