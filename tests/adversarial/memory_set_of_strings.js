// expect: code=memory_limit
// timeout: 5000
const set = new Set();
for (let i = 0; ; i++) set.add('key' + i);
