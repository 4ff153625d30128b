// expect: code=memory_limit
// timeout: 30000
const all = [];
for (;;) all.push([]);
