// Whether a result is a promise is asked by reading `then`.
// expect: code=timeout
// timeout: 150
({
  get then() {
    for (;;) {}
  },
});
