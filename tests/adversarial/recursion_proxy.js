// A Proxy that is its own prototype's handler.
// expect: ok="RangeError"
const handler = {};
const proxy = new Proxy({}, handler);
Object.setPrototypeOf(handler, proxy);
let seen;
try {
  proxy.a;
} catch (error) {
  seen = error.name;
}
seen;
