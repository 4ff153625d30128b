// expect: code=timeout
// timeout: 150
({ then() {} });
