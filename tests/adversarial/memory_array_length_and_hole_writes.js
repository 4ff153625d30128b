// An array that claims to be full and is written at its far end.
// expect: ok=[4294967295,1]
const sparse = [];
sparse[4294967294] = 'end';
[sparse.length, Object.keys(sparse).length];
