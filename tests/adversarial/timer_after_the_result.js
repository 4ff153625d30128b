// The result is there: what timers would do is not waited for.
// expect: ok="result"
// timeout: 5000
setTimeout(() => { for (;;); }, 0);
setInterval(() => { throw new Error('too late'); }, 1);
'result';
