// An endless loop.
// expect: code=timeout
// timeout: 150
// log: before
// message: Execution timed out
console.log('before');
for (;;) {}
