// JSON itself replaced: neither inputs nor results nor logs go through it.
// expect: ok={"real":true}
// log: {"a":1}
JSON.stringify = () => '"forged"';
JSON.parse = () => 'forged';
globalThis.JSON = null;
console.log({ a: 1 });
await tools.echo({ real: true });
