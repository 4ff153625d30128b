// At the very end of the stack, values with many levels are handed to the engine's own recursive code.
// expect: ok="alive"
// timeout: 10000
let nested = 1;
for (let i = 0; i < 990; i++) nested = [nested];
function dive() {
  try {
    dive();
  } catch {
  }
  tools.echo(nested).catch(() => {});
}
function shallow(n) {
  if (n > 0) return [0].map(() => shallow(n - 1));
  tools.echo(nested).catch(() => {});
}
for (let n = 1; n < 1100; n += 10) {
  try {
    shallow(n);
  } catch {
  }
}
'alive';
