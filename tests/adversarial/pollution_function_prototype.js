// call, apply and bind replaced, and Reflect with them.
// expect: ok=[1,2]
// log: still here
Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => 'forged';
for (const key of Reflect.ownKeys(Reflect)) Reflect[key] = undefined;
globalThis.Reflect = undefined;
console.log('still here');
await tools.echo([1, 2]);
