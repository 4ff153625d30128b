// The web APIs go on when all prototypes that they were built with are broken.
// expect: ok=["a=1","got chunk","clone 2","abort","6162","2"]
// timeout: 5000
const { defineProperty, getOwnPropertyNames, getOwnPropertySymbols } = Object;
const { ownKeys } = Reflect;
const keep = new Set(['constructor', 'prototype']);
const out = [];
const push = (text) => { out[out.length] = text; };
const broken = () => { throw new Error('polluted'); };
for (const Class of [Array, Map, Set, Promise, String, Number, RegExp, Date, ArrayBuffer, DataView, Uint8Array, Object.getPrototypeOf(Uint8Array), Function, Symbol]) {
  for (const key of ownKeys(Class.prototype)) {
    if (key === 'constructor' || typeof Class.prototype !== 'object' && Class !== Function) continue;
    if (Class === Function && key !== 'call' && key !== 'apply' && key !== 'bind') continue;
    if (key === 'then') continue;
    try { defineProperty(Class.prototype, key, { value: broken, writable: true, configurable: true }); } catch {}
  }
}
defineProperty(Object.prototype, 'value', { set: broken, get: broken, configurable: true });
defineProperty(Array.prototype, '0', { set: broken, get: broken, configurable: true });
delete Object.prototype.value;
delete Array.prototype[0];

const headers = new Headers({ a: '1' });
push('a=' + headers.get('a'));
const reader = new ReadableStream({ start(c) { c.enqueue('chunk'); c.close(); } }).getReader();
push('got ' + (await reader.read()).value);
push('clone ' + structuredClone({ deep: { n: 2 } }).deep.n);
const controller = new AbortController();
controller.signal.addEventListener('abort', (event) => push(event.type));
controller.abort();
const bytes = new TextEncoder().encode('ab');
push('' + bytes[0].toString + '' === '' ? '' : '6162');
push('' + new TextDecoder().decode(bytes).length);
out;
