// Large inputs by the thousand that are answered at once, and answers that are never taken: the host must not pile them up.
// expect: code=timeout
// timeout: 1500
const text = 'x'.repeat(8 << 20);
for (let i = 0; i < 9000; i++) tools.echo(text).catch(() => {});
for (;;) {}
