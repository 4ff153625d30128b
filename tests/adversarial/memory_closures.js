// expect: code=memory_limit
// timeout: 5000
let chain = null;
for (;;) {
  const before = chain;
  chain = () => before;
}
