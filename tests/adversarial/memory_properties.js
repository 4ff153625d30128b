// expect: code=memory_limit
// timeout: 10000
const object = {};
for (let i = 0; ; i++) object['p' + i] = i;
