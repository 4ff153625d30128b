// Forty arrays that each contain the one before twice: a result of 2^40 elements.
// expect: code=memory_limit
// timeout: 10000
let list = [1];
for (let i = 0; i < 40; i++) list = [list, list];
list;
