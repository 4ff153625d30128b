// One call into a builtin that walks 2^53 elements.
// expect: code=timeout
// timeout: 150
Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);
