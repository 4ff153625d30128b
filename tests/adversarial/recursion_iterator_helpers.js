// The engine's own recursion without a look at its stack, which lies at the bottom of the guest's memory.
// expect: code=stack_overflow
// timeout: 5000
// memory: 64MiB
let chain = [1].values();
for (let i = 0; i < 50000; i++) chain = chain.map((x) => x);
chain.next();
