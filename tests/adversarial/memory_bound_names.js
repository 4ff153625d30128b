// A bound function's name is that of its target with a word before it: twenty thousand binds, quadratic memory.
// expect: code=memory_limit
// timeout: 30000
let bound = () => 1;
for (let i = 0; i < 20000; i++) bound = bound.bind(null);
