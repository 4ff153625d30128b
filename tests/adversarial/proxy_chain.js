// A Proxy of a Proxy of …: going through all of them needs more stack than there is.
// expect: ok="RangeError"
// timeout: 10000
let chain = {};
for (let i = 0; i < 100000; i++) chain = new Proxy(chain, {});
let seen;
try {
  chain.a;
} catch (error) {
  seen = error.name;
}
seen;
