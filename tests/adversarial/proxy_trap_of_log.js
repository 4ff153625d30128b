// Logging a Proxy shows its target and runs no trap.
// expect: ok=undefined
// log: {}
console.log(new Proxy({}, {
  ownKeys() {
    for (;;) {}
  },
}));
