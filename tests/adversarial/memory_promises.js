// expect: code=memory_limit
// timeout: 10000
const all = [];
for (;;) all.push(new Promise(() => {}));
