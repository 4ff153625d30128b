// expect: code=memory_limit
// timeout: 30000
const set = new Set();
for (let i = 0; ; i++) set.add('key' + i);
