// Billions of holes may not leave: that would be billions of nulls.
// expect: code=serialization_error
const sparse = [];
sparse[4294967294] = 'end';
sparse;
