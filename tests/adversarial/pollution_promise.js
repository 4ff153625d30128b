// Everything about promises replaced.
// expect: ok={"real":true}
const never = () => {
  throw new Error('the shim used what the guest put there');
};
Promise.prototype.then = never;
Promise.prototype.catch = never;
Promise.prototype.finally = never;
Promise.resolve = never;
Object.defineProperty(Promise, Symbol.species, { get: never });
globalThis.Promise = never;
await tools.echo({ real: true });
