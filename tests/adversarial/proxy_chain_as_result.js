// The same chain, for the engine's own code to walk.
// expect: code=stack_overflow
// timeout: 10000
let chain = {};
for (let i = 0; i < 100000; i++) chain = new Proxy(chain, {});
[chain];
