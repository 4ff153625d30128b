// The functions of console need no `this`, whatever it is.
// expect: ok=undefined
// log: bare
// log: array
const { log } = console;
log('bare');
[1].forEach.call([console.warn], (warn) => warn.call(new Proxy({}, { get() { throw 1; } }), 'array'));
undefined;
