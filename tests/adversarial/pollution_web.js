// The web APIs go on when all prototypes that they were built with are broken.
// expect: ok=["a=1","got chunk","clone 2","abort","9798","ab"]
// timeout: 5000
const { defineProperty } = Object;
const { ownKeys } = Reflect;
const out = [];
const push = (text) => { out[out.length] = text; };
const broken = () => { throw new Error('polluted'); };
const classes = [Array, Map, Set, String, Number, RegExp, Date, ArrayBuffer, DataView, Object.getPrototypeOf(Uint8Array), Function, Symbol, Promise];
for (let i = 0; i < classes.length; i++) {
  const { prototype } = classes[i];
  const names = ownKeys(prototype);
  for (let j = 0; j < names.length; j++) {
    if (names[j] === 'constructor') continue;
    try { defineProperty(prototype, names[j], { value: broken, writable: true, configurable: true }); } catch {}
  }
}
for (const name in { value: 1, done: 1, stream: 1, then: 1 }) {
  if (name !== 'then') Object.prototype[name] = broken;
}

const headers = new Headers({ a: '1' });
push('a=' + headers.get('a'));
const reader = new ReadableStream({ start(c) { c.enqueue('chunk'); c.close(); } }).getReader();
push('got ' + (await reader.read()).value);
push('clone ' + structuredClone({ deep: { n: 2 } }).deep.n);
const controller = new AbortController();
controller.signal.addEventListener('abort', (event) => push(event.type));
controller.abort();
const bytes = new TextEncoder().encode('ab');
push('' + bytes[0] + bytes[1]);
push(new TextDecoder().decode(bytes));
delete Object.prototype.value;
delete Object.prototype.done;
delete Object.prototype.stream;
out;
