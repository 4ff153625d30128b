// expect: code=memory_limit
// timeout: 30000
let text = 'x'.repeat(1 << 10);
for (let i = 0; i < 19; i++) text += text;
console.log(text);
