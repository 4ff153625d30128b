// expect: code=timeout
// timeout: 200
// memory: 64MiB
const text = 'a\u0301\u0316'.repeat(1 << 18);
for (;;) text.normalize('NFC').normalize('NFD');
