// What was thrown must be told in words, and its toString never ends.
// expect: code=timeout
// timeout: 150
throw {
  toString() {
    for (;;) {}
  },
};
