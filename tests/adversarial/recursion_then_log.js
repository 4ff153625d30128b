// expect: ok="alive"
// timeout: 10000
let nested = 1;
for (let i = 0; i < 900; i++) nested = [nested];
function dive(n) {
  if (n > 0) return [0].map(() => dive(n - 1));
  console.log(nested);
}
for (let n = 1; n < 1100; n += 10) {
  try {
    dive(n);
  } catch {
  }
}
'alive';
