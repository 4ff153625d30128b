// One builtin call with quadratic work.
// expect: code=timeout
// timeout: 200
// memory: 64MiB
const hay = 'a'.repeat(1 << 23);
const needle = 'a'.repeat(1 << 22) + 'b';
hay.indexOf(needle);
