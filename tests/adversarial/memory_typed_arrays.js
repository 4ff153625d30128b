// The classic hole in engines that count allocations instead of bytes.
// expect: code=memory_limit
// timeout: 30000
const all = [];
for (;;) all.push(new Uint8Array(1 << 20));
