// structuredClone.
const print = (...values) => console.log(values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' '));
const thrown = (action) => { try { action(); return 'nothing'; } catch (error) { return `${error.name} ${typeof error.code === "number" ? error.code : ""}`; } };
const kindOf = (value) => Object.prototype.toString.call(value);

for (const value of [undefined, null, true, 1, -0, NaN, 'text', 12n]) print(Object.is(structuredClone(value), value));
const shared = { x: 1 };
const original = { a: [1, , 3], shared, again: shared, nested: { deep: [shared] }, when: new Date(5), u: undefined, [Symbol('s')]: 1 };
original.self = original;
const copy = structuredClone(original);
print(copy !== original, copy.self === copy, copy.shared === copy.again, copy.nested.deep[0] === copy.shared, copy.shared !== shared);
print(1 in copy.a, copy.a.length, copy.when instanceof Date, copy.when.getTime(), 'u' in copy, Object.getOwnPropertySymbols(copy).length);

const map = structuredClone(new Map([['k', { v: 1 }], [{ key: 1 }, 2]]));
print(kindOf(map), map.size, map.get('k'), [...map.keys()][1]);
const set = structuredClone(new Set([1, 'two', { three: 3 }]));
print(kindOf(set), set.size, [...set][2]);
const pattern = structuredClone(Object.assign(/a(b)?/giu, { lastIndex: 3 }));
print(pattern.source, pattern.flags, pattern.lastIndex);
print(kindOf(structuredClone(Object(1))), kindOf(structuredClone(Object('s'))), kindOf(structuredClone(Object(false))), typeof structuredClone(Object(2n)));
print(structuredClone(Object('str')).length, structuredClone(new Date(NaN)).getTime());

class Point { constructor() { this.x = 1; } get y() { return 2; } }
const point = structuredClone(new Point());
print(point.constructor === Object, point);
print(structuredClone({ get computed() { return 7; } }), Object.getOwnPropertyDescriptor(structuredClone({ get c() { return 7; } }), 'c').value);
print(thrown(() => structuredClone((function () { return arguments; })(1, 2))));
const sparse = structuredClone(Object.assign([1, 2], { extra: true }));
print(Array.isArray(sparse), sparse.length, sparse.extra);

const error = structuredClone(Object.assign(new RangeError('too far', { cause: new TypeError('why') }), { own: 1 }));
print(error instanceof RangeError, error.name, error.message, 'own' in error, error.cause instanceof TypeError, typeof error.stack, Object.keys(error));
const custom = new Error('m');
custom.name = 'Custom';
print(structuredClone(custom).name, structuredClone(custom) instanceof Error);
const exception = structuredClone(new DOMException('m', 'DataCloneError'));
print(exception.name, exception.message, exception.code);

const bytes = new Uint8Array([1, 2, 3, 4]);
const views = structuredClone({ all: bytes, part: new Uint16Array(bytes.buffer, 2, 1), view: new DataView(bytes.buffer, 1, 2), big: new BigInt64Array(1), float: new Float32Array([1.5]) });
print([...views.all], views.part.length, views.part.byteOffset, views.all.buffer === views.part.buffer, views.view.getUint8(0), kindOf(views.big), views.float[0], views.all.buffer !== bytes.buffer);

// Transfer.
const moved = new Uint8Array([9, 8, 7]);
const taken = structuredClone({ moved }, { transfer: [moved.buffer] });
print([...taken.moved], moved.length, moved.buffer.byteLength, taken.moved.buffer.byteLength);
const alone = new ArrayBuffer(4);
print(structuredClone(1, { transfer: [alone] }), alone.byteLength);
const kept = new ArrayBuffer(2);
print(thrown(() => structuredClone({ f() {} }, { transfer: [kept] })), kept.byteLength);
print(thrown(() => structuredClone(1, { transfer: [kept, kept] })), kept.byteLength, thrown(() => structuredClone(alone)), thrown(() => structuredClone(1, { transfer: [alone] })));
print(thrown(() => structuredClone(1, { transfer: [{}] })));

for (const wrong of [() => {}, Symbol('s'), { f() {} }, [Symbol.iterator], new WeakMap(), Promise.resolve(), (function* () {})()]) print(thrown(() => structuredClone(wrong)));
print(thrown(() => structuredClone()), thrown(() => structuredClone({ get x() { throw new EvalError('getter'); } })), thrown(() => structuredClone(new Proxy({}, {}))));
const proto = structuredClone(JSON.parse('{"__proto__": {"polluted": 1}}'));
print(Object.hasOwn(proto, '__proto__'), proto.polluted === undefined);
print(structuredClone.name, Object.keys(globalThis).includes('structuredClone'));
print((await (async () => { const key = await crypto.subtle.importKey("raw", new Uint8Array(16), "AES-GCM", true, ["encrypt"]); const copy = structuredClone({ key }).key; return [copy instanceof CryptoKey, copy !== key, copy.usages]; })()));
