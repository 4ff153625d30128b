// Logging a getter does not run it.
// expect: ok=undefined
// log: { a: [Getter] }
console.log({
  get a() {
    for (;;) {}
  },
});
