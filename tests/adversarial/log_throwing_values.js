// Values that throw when they are looked at: each is a line all the same, and the program goes on.
// expect: ok="done"
// log: { toJSON: [Function: toJSON], toString: [Function: toString] }
// log: { a: [Getter], toString: [Function: toString] }
// log: {}
// log: 1 [Object: null prototype] { a: [ 1n ] } 2
console.log({ toJSON() { throw 0; }, toString() { throw new Error('no'); } });
console.log({ get a() { throw 0; }, toString() { throw new Error('odd'); } });
console.log(new Proxy({}, { get() { throw 0; }, ownKeys() { throw 0; } }));
console.log(1, Object.groupBy([1n], () => 'a'), 2);
('done');
