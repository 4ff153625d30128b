// expect: code=runtime_error
// message: call stack
// timeout: 5000
eval('class A extends '.repeat(100000) + 'Object {}' + '{}'.repeat(100000));
