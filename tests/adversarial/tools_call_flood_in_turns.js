// As above, taking each answer.
// expect: code=timeout
// timeout: 300
for (;;) await tools.echo(1);
