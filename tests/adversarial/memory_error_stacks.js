// Errors with stacks as deep as can be, all of them kept.
// expect: code=memory_limit
// timeout: 10000
Error.stackTraceLimit = Infinity;
const errors = [];
function deep(n) {
  if (n === 0) for (;;) errors.push(new Error('x'.repeat(1000)));
  deep(n - 1);
}
deep(500);
