// As above with a tool that answers a word with megabytes.
// expect: code=timeout
// timeout: 1500
for (let i = 0; i < 9000; i++) tools.large(i).catch(() => {});
for (;;) {}
