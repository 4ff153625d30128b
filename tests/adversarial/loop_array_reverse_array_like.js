// As above, writing: reverse of an array-like with a length that has no end.
// expect: code=timeout
// timeout: 150
Array.prototype.reverse.call({ length: 2 ** 53 - 1 });
