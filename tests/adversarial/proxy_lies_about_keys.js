// Keys that are not there, twice, or beyond number.
// expect: ok={"a":1,"b":1}
new Proxy({}, {
  ownKeys: () => ['a', 'b', 'c'],
  getOwnPropertyDescriptor: (target, key) => (key === 'c' ? undefined : { enumerable: true, configurable: true, value: 1 }),
  get: (target, key) => (key === 'then' ? undefined : 1),
});
