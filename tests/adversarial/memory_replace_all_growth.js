// Each character becomes a thousand.
// expect: code=memory_limit
// timeout: 30000
let text = 'a'.repeat(1000);
for (;;) text = text.replaceAll('a', 'a'.repeat(1000));
