/*---
flags: [noStrict]
---*/
assert((function () { return this; })() === globalThis);
