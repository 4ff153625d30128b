// Everything that can be deleted is.
// expect: ok={"a":1}
const pending = tools.echo({ a: 1 });
const world = globalThis;
const { deleteProperty } = Reflect;
for (const key of Reflect.ownKeys(world)) deleteProperty(world, key);
await pending;
