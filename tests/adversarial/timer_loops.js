// A loop inside a timer.
// expect: code=timeout
// timeout: 100
setTimeout(() => { for (;;); }, 1);
await new Promise(() => {});
