// expect: code=memory_limit
// timeout: 5000
new Array(2 ** 31).fill(0);
