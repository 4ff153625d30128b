// Each of the bound functions makes a longer list of the list that it is given.
// expect: code=memory_limit
// timeout: 20000
// memory: 64MiB
let f = () => 1;
for (let i = 0; i < 1000; i++) f = f.bind(null, ...new Array(900));
f();
