// Object.prototype has an immutable prototype; others may be made a Proxy that watches every lookup.
// expect: ok={"input":[1,{"b":2}]}
let immutable = false;
try {
  Object.setPrototypeOf(Object.prototype, {});
} catch {
  immutable = true;
}
if (!immutable) throw new Error('Object.prototype got a prototype');
Object.setPrototypeOf(Array.prototype, new Proxy({}, { get() { throw new Error('watched'); } }));
const input = await tools.echo([1, { b: 2 }]);
({ input });
