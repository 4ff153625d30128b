// expect: code=memory_limit
// timeout: 30000
new Array(2 ** 31).fill(0);
