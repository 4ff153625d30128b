// Calls that are answered at once, made faster than their answers can be taken.
// expect: code=memory_limit
// timeout: 10000
// memory: 16MiB
for (;;) tools.echo(1).catch(() => {});
