// expect: code=runtime_error
// message: call stack
// timeout: 5000
eval('{'.repeat(1000000));
