// expect: code=memory_limit
// timeout: 30000
const all = [];
for (;;) all.push(new SharedArrayBuffer(1 << 20));
