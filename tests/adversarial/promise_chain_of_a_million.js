// expect: ok=200000
// timeout: 20000
// memory: 256MiB
let chain = Promise.resolve(0);
for (let i = 0; i < 200000; i++) chain = chain.then((n) => n + 1);
chain;
