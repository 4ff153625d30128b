// A species constructor that answers map with the very array that map reads.
// expect: code=timeout
// timeout: 200
const list = [1, 2, 3];
list.constructor = { [Symbol.species]: function () { return list; } };
for (;;) list.flatMap((x) => [x]);
