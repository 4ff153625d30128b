// An array that grows while it is walked stays as long as it was.
// expect: ok=[1,2]
const list = [0, 2];
Object.defineProperty(list, 0, {
  get() {
    for (let i = 0; i < 1000; i++) list.push(i);
    return 1;
  },
  enumerable: true,
});
list;
