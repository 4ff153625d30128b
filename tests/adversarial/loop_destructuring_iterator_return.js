// The `return` of an iterator, called when destructuring stops, never comes back.
// expect: code=timeout
// timeout: 150
const [first] = {
  [Symbol.iterator]: () => ({
    next: () => ({ done: false, value: 1 }),
    return() {
      for (;;) {}
    },
  }),
};
