// All that can be reached is frozen.
// expect: ok={"answer":[1,2],"sum":3}
// log: frozen
// timeout: 5000
const seen = new Set();
(function freeze(value) {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function') || seen.has(value)) return;
  seen.add(value);
  Object.freeze(value);
  for (const key of Reflect.ownKeys(value)) {
    const descriptor = Object.getOwnPropertyDescriptor(value, key);
    freeze(descriptor.value);
    freeze(descriptor.get);
    freeze(descriptor.set);
  }
  freeze(Object.getPrototypeOf(value));
})(globalThis);
console.log('frozen');
const answer = await tools.echo([1, 2]);
({ answer, sum: answer[0] + answer[1] });
