// eval in eval in eval …
// expect: code=runtime_error
// message: call stack
// timeout: 5000
globalThis.again = 'eval(again)';
eval(again);
