// Calls with more arguments than there can be, by every way that takes them from a list.
// expect: ok=["RangeError","RangeError","RangeError","RangeError","RangeError","RangeError"]
// timeout: 20000
// memory: 64MiB
function f() {}
const attempts = [
  () => Math.max(...new Array(2e6)),
  () => f.apply(null, { length: 4e9 }),
  () => Reflect.apply(f, null, { length: 2 ** 53 }),
  () => Reflect.construct(f, { length: 1000001 }),
  () => [].push.apply([], new Proxy([], { get: (target, key) => (key === 'length' ? 1e9 : 1) })),
  () => new Proxy(f, { apply: (target, self, list) => target.apply(self, { length: list.length * 1000 }) })(1, ...new Array(9999)),
];
attempts.map((attempt) => {
  try {
    attempt();
  } catch (error) {
    return error.name;
  }
});
