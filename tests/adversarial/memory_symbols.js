// expect: code=memory_limit
// timeout: 10000
// memory: 8MiB
const all = [];
for (let i = 0; ; i++) all.push(Symbol('symbol' + i));
