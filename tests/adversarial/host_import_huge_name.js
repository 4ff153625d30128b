// A name of twenty million characters: the error that tells of it is no larger than it must be.
// expect: ok=true
// memory: 256MiB
// timeout: 10000
let length = 0;
try {
  await import('x'.repeat(20000000));
} catch (error) {
  length = error.message.length;
}
length > 0 && length < 100000;
