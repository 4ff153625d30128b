/*---
flags:
  - onlyStrict
---*/
assert((function () { return this; })() === undefined);
