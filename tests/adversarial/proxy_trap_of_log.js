// Logging a Proxy asks for its keys.
// expect: code=timeout
// timeout: 150
console.log(new Proxy({}, {
  ownKeys() {
    for (;;) {}
  },
}));
