// expect: ok="text"
// log: text 1 {"a":null}
String.prototype.toString = String.prototype.valueOf = () => 'forged';
String.prototype[Symbol.toPrimitive] = () => 'forged';
Symbol.prototype[Symbol.toPrimitive] = undefined;
globalThis.String = globalThis.Symbol = undefined;
console.log('text', 1, { a: null });
await tools.echo('text');
