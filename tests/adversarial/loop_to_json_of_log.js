// expect: code=timeout
// timeout: 150
console.log({
  toJSON() {
    for (;;) {}
  },
});
