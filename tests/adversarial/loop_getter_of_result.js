// expect: code=timeout
// timeout: 150
({
  get a() {
    for (;;) {}
  },
});
