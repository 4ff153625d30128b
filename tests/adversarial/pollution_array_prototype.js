// Everything on Array.prototype and its iterator is gone.
// expect: ok=[1,[2,3],{"a":[4]}]
const value = [1, [2, 3], { a: [4] }];
const keys = Object.getOwnPropertyNames(Array.prototype);
for (let i = 0; i < keys.length; i++) if (keys[i] !== 'length') delete Array.prototype[keys[i]];
Object.defineProperty(Array.prototype, Symbol.iterator, { get() { throw new Error('iterator'); } });
await tools.echo(value);
