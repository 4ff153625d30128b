// Rejections that nobody handles, many of them, are no one's end but the program's own.
// expect: ok="done"
// timeout: 5000
for (let i = 0; i < 10000; i++) Promise.reject(new Error('nobody listens ' + i));
await null;
'done';
