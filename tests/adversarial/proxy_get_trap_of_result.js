// A Proxy whose traps never return, one kind of trap a file: here `get`, while the result is written.
// expect: code=timeout
// timeout: 150
new Proxy({ a: 1 }, {
  get(target, key) {
    if (key === 'then') return undefined;
    for (;;) {}
  },
});
