// A getter that takes away the ground: what comes after it is gone, shorter, or another.
// expect: ok={"first":1,"list":[1,null,null],"swap":"late"}
const result = {
  get first() {
    delete result.second;
    result.list.length = 1;
    result.list.length = 3;
    result.swap = 'late';
    return 1;
  },
  second: 2,
  list: [1, 2, 3],
  swap: 'early',
};
result;
