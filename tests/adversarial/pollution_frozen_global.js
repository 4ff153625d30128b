// expect: ok=[1]
Object.freeze(globalThis);
Object.freeze(Object.prototype);
Object.freeze(Promise.prototype);
await tools.echo([1]);
