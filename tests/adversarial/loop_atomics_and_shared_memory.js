// No thread may be put to sleep from inside: there is nothing to wait with, and nobody to share memory with.
// expect: ok=["undefined","undefined","undefined"]
[typeof Atomics, typeof WebAssembly, typeof Worker];
