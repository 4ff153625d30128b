// expect: code=timeout
// timeout: 150
console.log({
  get a() {
    for (;;) {}
  },
});
