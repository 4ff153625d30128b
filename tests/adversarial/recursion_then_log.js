// expect: ok="alive"
// timeout: 10000
let nested = 1;
for (let i = 0; i < 900; i++) nested = [nested];
function dive(n) {
  if (n > 0) return dive(n - 1);
  console.log(nested);
}
for (let n = 1; n < 4000; n += 20) {
  try {
    dive(n);
  } catch {
  }
}
'alive';
