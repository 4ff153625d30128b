// Pieces at both ends by turns, the worst case for a rope's balance.
// expect: ok=[20001,"x"]
// timeout: 10000
// memory: 128MiB
let rope = 'x';
for (let i = 0; i < 20000; i++) rope = i % 2 ? rope + 'y' : 'z' + rope;
[rope.length, rope[10000]];
