// expect: ok=true
// timeout: 20000
// memory: 256MiB
let seen = false;
try {
  eval('Math.max(' + '1,'.repeat(70000) + '1)');
} catch (error) {
  seen = error instanceof Error;
}
seen;
