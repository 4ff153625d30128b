// A result that nothing will settle.
// expect: code=runtime_error
// message: the program waits for a promise that nothing will settle
// runner: code=timeout
// timeout: 150
({ then() {} });
