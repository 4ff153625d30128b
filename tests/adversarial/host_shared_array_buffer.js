// Memory that calls itself shared is shared with nobody.
// expect: ok=[8,"object"]
const shared = new SharedArrayBuffer(8);
[shared.byteLength, typeof new Uint8Array(shared)];
