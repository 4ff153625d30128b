// expect: ok=59999
// timeout: 20000
// memory: 256MiB
let source = 'switch (x) {';
for (let i = 0; i < 60000; i++) source += `case ${i}: return ${i};`;
new Function('x', source + '}')(59999);
