// expect: code=timeout
// timeout: 200
for (let i = 0; ; i++) console.log('line ' + i);
