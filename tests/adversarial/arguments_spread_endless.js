// An array of a thousand million elements is made before the call is.
// expect: code=memory_limit
// timeout: 20000
// memory: 64MiB
Math.max(...new Array(1e9));
