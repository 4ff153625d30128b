// expect: ok="TypeError"
// timeout: 5000
// memory: 64MiB
let seen;
try {
  eval('({})' + '.a'.repeat(100000));
} catch (error) {
  seen = error.name;
}
seen;
