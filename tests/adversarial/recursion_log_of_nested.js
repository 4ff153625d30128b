// Logging what nobody could go down into: it is shown to a depth.
// expect: ok=undefined
// timeout: 20000
// memory: 64MiB
let nested = [];
for (let i = 0; i < 200000; i++) nested = [nested];
console.log(nested);
