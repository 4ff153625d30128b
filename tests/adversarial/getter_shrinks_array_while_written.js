// expect: ok=[1,null,null]
const list = [0, 2, 3];
Object.defineProperty(list, 0, {
  get() {
    list.length = 1;
    return 1;
  },
  enumerable: true,
});
list;
