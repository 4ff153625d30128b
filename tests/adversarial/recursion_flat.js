// expect: code=stack_overflow
// timeout: 5000
let nested = [];
for (let i = 0; i < 100000; i++) nested = [nested];
nested.flat(Infinity);
