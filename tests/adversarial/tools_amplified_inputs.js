// As above with a tool that keeps what it was given and does not answer.
// expect: code=timeout
// timeout: 1500
const text = 'x'.repeat(8 << 20);
for (let i = 0; i < 9000; i++) tools.keep(text).catch(() => {});
for (;;) {}
