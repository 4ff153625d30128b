// No way up the stack to whoever called.
// expect: ok=["undefined","undefined","TypeError"]
function f() {
  return [typeof f.caller, typeof arguments.callee.caller];
}
let strict;
try {
  (function () {
    'use strict';
    return arguments.callee;
  })();
} catch (error) {
  strict = error.name;
}
[...f(), strict];
