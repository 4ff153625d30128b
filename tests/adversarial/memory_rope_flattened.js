// A string made of a million pieces, first looked at when all of them are there.
// expect: ok=[1000001,"y"]
// timeout: 10000
// memory: 128MiB
let rope = 'x';
for (let i = 0; i < 1000000; i++) rope = rope + 'y';
[rope.length, rope[500000]];
