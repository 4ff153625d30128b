// expect: code=memory_limit
// timeout: 30000
let list = new Array(1000).fill(1);
for (;;) list = list.concat(list);
