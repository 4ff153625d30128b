// expect: ok=["undefined",true]
Error.stackTraceLimit = {
  valueOf() {
    throw new Error('limit');
  },
};
const a = typeof globalThis.nothing;
Error.stackTraceLimit = -Infinity;
let b;
try {
  null.x;
} catch (error) {
  b = error instanceof TypeError;
}
[a, b];
