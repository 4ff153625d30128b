// Half a million separators of two thousand characters.
// expect: code=memory_limit
// timeout: 30000
const holes = [];
holes.length = 2 ** 19;
holes.join('x'.repeat(2000));
