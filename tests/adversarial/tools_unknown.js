// expect: code=runtime_error
// message: not a function
await tools.nothing();
