// A billion characters that take a few hundred bytes, until somebody wants to see them.
// expect: code=memory_limit
// timeout: 30000
let text = 'x'.repeat(1 << 10);
for (let i = 0; i < 19; i++) text += text;
text;
