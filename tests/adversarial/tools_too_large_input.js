// More than a message may hold.
// expect: ok="serialization_error"
// timeout: 20000
// memory: 512MiB
let code;
try {
  await tools.echo('x'.repeat((64 << 20) + 1));
} catch (error) {
  code = error.code;
}
code;
