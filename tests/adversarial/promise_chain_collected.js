// A chain of pending promises, each held by the next, let go of: freeing it must not recurse.
// expect: ok="free"
// timeout: 20000
// memory: 256MiB
let resolve;
let chain = new Promise((r) => (resolve = r));
for (let i = 0; i < 200000; i++) chain = chain.then((n) => n);
resolve = chain = null;
'free';
