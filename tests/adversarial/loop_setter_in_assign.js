// expect: code=timeout
// timeout: 150
Object.assign(
  {
    set a(value) {
      for (;;) {}
    },
  },
  { a: 1 },
);
