// expect: code=memory_limit
// timeout: 30000
const waiting = [];
function* g() {
  yield new Array(50).fill(0);
}
for (;;) {
  const generator = g();
  generator.next();
  waiting.push(generator);
}
