// At the very end of the stack, everything that is written in C and recurses.
// expect: ok="alive"
// timeout: 20000
// memory: 64MiB
let nested = [];
for (let i = 0; i < 300; i++) nested = [nested];
const text = JSON.stringify(nested);
const source = '('.repeat(100) + '1' + ')'.repeat(100);
const pattern = '(?:'.repeat(100) + 'a' + ')'.repeat(100);
const acts = [
  () => JSON.parse(text),
  () => JSON.stringify(nested),
  () => eval(source),
  () => new Function(source),
  () => new RegExp(pattern),
  () => String(nested),
  () => nested.flat(Infinity),
  () => [3, 1, 2].sort((a, b) => a - b),
  () => 'abc'.replace(/b/, (x) => x + x),
  () => (123456789n ** 50n).toString(),
  () => new Date(2020, 1, 1).toISOString(),
  () => 'x'.normalize('NFKD'),
  () => new Error('x', { cause: new Error('y') }).stack,
  () => structuredCloneLike(nested),
  () => 1.1e-7.toString(3) + parseFloat('1e-400'),
  () => import('./friend.js').catch(() => {}),
];
function structuredCloneLike(value) {
  return Array.isArray(value) ? value.map(structuredCloneLike) : value;
}
// Through C at each level: a call from one function to another takes none of its stack.
function dive(n, act) {
  if (n > 0) return [0].map(() => dive(n - 1, act));
  act();
}
for (const act of acts) {
  for (let n = 500; n < 1100; n += 10) {
    try {
      dive(n, act);
    } catch {
    }
  }
}
'alive';
