// expect: ok=20000000
// timeout: 10000
// memory: 256MiB
(await tools.echo('x'.repeat(20000000))).length;
