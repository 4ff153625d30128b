// An interval keeps no program alive past its deadline.
// expect: code=timeout
// timeout: 100
setInterval(() => {}, 0);
await new Promise(() => {});
