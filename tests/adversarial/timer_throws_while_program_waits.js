// What a timer throws ends the program at once, though it waits for something else.
// expect: code=runtime_error
// message: from the timer
// timeout: 5000
setTimeout(() => { throw new Error('from the timer'); }, 1);
await new Promise(() => {});
