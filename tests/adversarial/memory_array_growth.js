// expect: code=memory_limit
// timeout: 5000
const all = [];
for (;;) all.push([]);
