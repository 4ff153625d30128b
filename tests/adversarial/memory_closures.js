// expect: code=memory_limit
// timeout: 30000
let chain = null;
for (;;) {
  const before = chain;
  chain = () => before;
}
