// expect: code=memory_limit
// timeout: 10000
// memory: 16MiB
for (;;) tools.echo(Symbol()).catch(() => {});
