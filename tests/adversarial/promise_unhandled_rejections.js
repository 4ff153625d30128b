// Rejections that nobody handles, many of them: the first is the program's failure, but for execbox.
// expect: code=runtime_error
// runner: ok="done"
// message: nobody listens 0
// timeout: 5000
for (let i = 0; i < 10000; i++) Promise.reject(new Error('nobody listens ' + i));
await null;
'done';
