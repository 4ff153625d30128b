/*---
description: A helper, both modes, and the hooks of the host.
includes: [helper.js]
---*/
assert(helps);
const buffer = new ArrayBuffer(8);
$262.detachArrayBuffer(buffer);
assert(buffer.byteLength === 0);
() => {};
