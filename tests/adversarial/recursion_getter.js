// expect: ok="RangeError"
const object = {
  get a() {
    return this.a;
  },
};
let seen;
try {
  object.a;
} catch (error) {
  seen = error.name;
}
seen;
