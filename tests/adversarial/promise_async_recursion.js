// Async functions that call themselves before their first await.
// expect: ok="RangeError"
const f = async () => await f();
let seen;
try {
  await f();
} catch (error) {
  seen = error.name;
}
seen;
