// expect: code=memory_limit
// timeout: 30000
const map = new Map();
for (let i = 0; ; i++) map.set(i, i);
