// A few arrays that contain each other many times over.
// expect: code=memory_limit
// timeout: 10000
let list = [1];
for (let i = 0; i < 40; i++) list = [list, list];
list.flat(Infinity);
