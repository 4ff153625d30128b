// A million keys with a thousand characters each, made up on demand: the size of a message or the memory ends it.
// expect: code=memory_limit
// timeout: 10000
const keys = [];
for (let i = 0; i < 1000000; i++) keys.push(String(i).padStart(1000, 'k'));
new Proxy({}, {
  ownKeys: () => keys,
  getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 1 }),
  get: () => undefined,
});
