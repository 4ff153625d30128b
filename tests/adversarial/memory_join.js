// Four billion commas out of an array of nothing.
// expect: code=memory_limit
// timeout: 30000
const holes = [];
holes.length = 2 ** 28;
holes.join(',');
