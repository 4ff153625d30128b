// Delays and numbers of timers that are none.
// expect: ok=["TypeError","TypeError","TypeError",6]
// timeout: 5000
const names = [undefined, 'code()', {}].map((f) => {
  try { setTimeout(f, 1); } catch (error) { return error.name; }
});
let ran = 0;
for (const delay of [-1, NaN, Infinity, 2 ** 40, '2', { valueOf: () => 1 }]) setTimeout(() => ran++, delay);
for (const id of [undefined, null, {}, -1, 1e300, NaN, Symbol(), 'x']) clearTimeout(id), clearInterval(id);
await new Promise((done) => setTimeout(done, 20));
[...names, ran];
