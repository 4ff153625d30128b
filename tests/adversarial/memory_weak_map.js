// expect: code=memory_limit
// timeout: 30000
const keys = [];
const weak = new WeakMap();
for (;;) {
  const key = {};
  keys.push(key);
  weak.set(key, new Array(100).fill(key));
}
