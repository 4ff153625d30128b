/*---
description: One of the two modes is enough to fail.
---*/
assert((function () { return this; })() === globalThis, "no this");
