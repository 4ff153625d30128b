// Setters and getters for all that an error has.
// expect: code=tool_error
// message: the tool says no
for (const key of ['message', 'name', 'code', 'stack', 'cause', 'errors', 'length', 'call', 'value', 'get', 'set']) {
  const descriptor = Object.create(null);
  descriptor.get = () => 'forged ' + key;
  descriptor.set = () => {
    throw new Error('set ' + key);
  };
  descriptor.configurable = true;
  Object.defineProperty(Object.prototype, key, descriptor);
}
await tools.fail();
