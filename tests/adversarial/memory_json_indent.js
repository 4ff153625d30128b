// expect: code=memory_limit
// timeout: 10000
let nested = [];
for (let i = 0; i < 1500; i++) nested = [nested, nested.length];
JSON.stringify(new Array(200).fill(nested), null, 10).length;
