// A prototype cycle through a Proxy: the lookup has no end but the stack's.
// expect: ok="RangeError"
// timeout: 10000
const object = {};
Object.setPrototypeOf(object, new Proxy({}, { getPrototypeOf: () => object, has: (t, k) => k in object, get: (t, k) => object[k] }));
let seen;
try {
  object.nothing;
} catch (error) {
  seen = error.name;
}
seen;
