// expect: ok="RangeError"
const object = {
  toString() {
    return `${this}`;
  },
};
let seen;
try {
  String(object);
} catch (error) {
  seen = error.name;
}
seen;
