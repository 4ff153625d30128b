// A million arrays in one another, let go of while the guest lives.
// expect: ok="free"
// timeout: 10000
// memory: 256MiB
let nested = [];
for (let i = 0; i < 1000000; i++) nested = [nested];
nested = null;
'free';
