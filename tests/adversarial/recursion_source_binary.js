// A chain of operators has no depth and needs no stack.
// expect: ok=100001
// timeout: 5000
// memory: 64MiB
eval('1' + '+1'.repeat(100000));
