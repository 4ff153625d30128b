// expect: code=timeout
// timeout: 150
const list = [1];
list.constructor = {
  get [Symbol.species]() {
    for (;;) {}
  },
};
list.map((x) => x);
