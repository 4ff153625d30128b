// Every property is another such object: the depth limit ends it.
// expect: code=serialization_error
const endless = () => new Proxy({}, {
  ownKeys: () => ['down'],
  getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 1 }),
  get: (target, key) => (key === 'then' ? undefined : endless()),
});
endless();
