// expect: code=stack_overflow
// timeout: 20000
// memory: 64MiB
let nested = [];
for (let i = 0; i < 200000; i++) nested = [nested];
JSON.stringify(nested);
