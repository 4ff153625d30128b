// There is no memory that could be shared.
// expect: ok=["undefined","undefined"]
[typeof SharedArrayBuffer, typeof Atomics];
