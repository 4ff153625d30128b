// A promise resolved with a promise resolved with …
// expect: ok=1
// timeout: 20000
// memory: 256MiB
let inner = Promise.resolve(1);
for (let i = 0; i < 100000; i++) {
  const before = inner;
  inner = new Promise((resolve) => resolve(before));
}
inner;
