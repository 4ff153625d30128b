// A list of a million links that is let go of: freeing it must not recurse.
// expect: ok="free"
// timeout: 10000
// memory: 256MiB
let list = null;
for (let i = 0; i < 1000000; i++) list = { next: list };
list = null;
'free';
