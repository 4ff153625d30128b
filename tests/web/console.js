// In Node the same text comes from its inspector: on one line, and down to the same depth.
const inspected = typeof process === 'undefined' ? null : process.getBuiltinModule('util').inspect;
const oneLine = { breakLength: Infinity, compact: 1000, depth: 6 };
function show(value) {
  console.log(inspected ? inspected(value, oneLine) : value);
}
// What cordon shows as JSON, Node's inspector does not.
function showAsJson(value) {
  console.log(inspected ? JSON.stringify(value) : value);
}

// Primitives.
for (const value of [NaN, Infinity, -Infinity, -0, 1.5, 1e21, 10n, -3n, undefined, null, true, Symbol(), Symbol('a'), Symbol.iterator, Symbol.for('x')]) show(value);

// What JSON carries stays JSON, to whatever depth.
showAsJson({ n: 1, s: 'x', list: [1, null, [true]], o: {} });
showAsJson(Array.from({ length: 120 }, (_, i) => i));
showAsJson({ a: { b: { c: { d: { e: { f: { g: { h: [1] } } } } } } } });
showAsJson(Object.freeze([1, Object.freeze({ a: 2 })]));
showAsJson(Object.assign(Object.create(null), { a: 1 }));
showAsJson({ when: new Date(0), link: new URL('https://a.b/c') });
showAsJson({ toJSON() { return { own: [1] }; } });
showAsJson(new (class { toJSON() { return 'its own text'; } })());

// Where JSON loses something.
show({ u: undefined });
show([undefined, null]);
show([NaN, -0]);
show({ f() {}, g: () => 1, h: async () => {}, *i() {}, async *j() {}, k: class {}, l: function () {} });
show([() => {}, function named() {}, Math.max, class A {}, class extends Map {}]);
class Animal {}
class Dog extends Animal {
  #secret = 1;
  name = 'Rex';
  static kind = 'dog';
}
show({ Dog, rex: new Dog(), animal: new Animal() });
show(Object.assign(function f() {}, { a: 1 }));
show({ n: 10n, s: Symbol('x'), [Symbol('k')]: 1, [Symbol('l')]: { m: NaN } });
show({ get a() { throw 1; }, set a(v) {}, get b() { throw 2; }, set c(v) {} });
show([/a\/b/gi, Object.assign(/x/, { extra: 1 }), new Date(0), new Date(NaN)]);
show({ when: new Date(0), never: new Date(NaN) });
show(new Date(86400000));
show(Object.assign(Object.create(null), { a: NaN }));
show({ 'a-b': NaN, $x: 1, _y: 2, '': 3, ['__proto__']: 4, 12: 5, 'ü': 6, "it's": 7, 'new\nline': 8 });

// Collections.
show(new Map());
show(new Map([[1, 2], ['a', { b: 1 }], [{ c: [1] }, new Map([[null, undefined]])]]));
show(new Set([1, 'x', [1], new Set()]));
show({ map: new Map([['k', 'v']]), set: new Set() });
show(new Map(Array.from({ length: 102 }, (_, i) => [i, i])));
show(new Set(Array.from({ length: 101 }, (_, i) => i)));
show([new WeakMap(), new WeakSet()]);
show([new Map([[1, 2]]).entries(), new Map([[1, 2]]).keys(), new Map([[1, 2]]).values(), new Set([1]).values(), new Set([1]).entries()]);
show([[1].values(), 'a'[Symbol.iterator](), (function* () {})(), (async function* () {})()]);
class Bag extends Map {}
class List extends Array {}
show([new Bag([[1, 2]]), List.of(1, 2), new List()]);

// Arrays.
show([1, , 3]);
show([, , 1, , ]);
show(new Array(3));
show([undefined, , null]);
show(Object.assign([1, 2], { name: 'x', [Symbol('s')]: 1 }));
show('abc'.match(/b(?<c>c)/));
const sparse = [];
sparse[5] = 'five';
sparse[1e6] = 'a million';
show(sparse);

// Bytes.
show([new Uint8Array([1, 2, 3]), new Float32Array([-0, 1.5]), new BigInt64Array([1n]), new Uint8Array()]);
show(new ArrayBuffer(3));
show(new Uint8Array([0, 15, 255]).buffer);
show(new DataView(new ArrayBuffer(2), 1));
show({ bytes: new Uint8Array(2).buffer });

// Promises, proxies, boxes.
show([Promise.resolve(4), new Promise(() => {}), Promise.resolve({ a: NaN })]);
const failed = Promise.reject(5);
failed.catch(() => {});
show(failed);
const trap = new Proxy({}, { get() { throw new Error('a trap ran'); } });
show(new Proxy({ a: 1, f() {} }, trap));
show([new Proxy([1, NaN], trap), new Proxy(function target() {}, trap)]);
const { proxy, revoke } = Proxy.revocable({}, {});
revoke();
show([proxy]);
show([new Number(-0), new String("it's"), new Boolean(false), Object(1n), Object(Symbol('q'))]);
(function () { show(arguments); })(1, 'two');

// Names of classes.
show([{ [Symbol.toStringTag]: 'own', a: 1 }, Object.create({ [Symbol.toStringTag]: 'T' }, { x: { value: NaN, enumerable: true } })]);
show(Object.assign(new (class Named { [Symbol.toStringTag] = 'Tag'; })(), { a: 1 }));
show({ constructor: { name: 5 }, n: NaN });
show({ constructor: 1, n: NaN });
function Old() { this.x = 1; }
show(new Old());
show(Object.create(Old.prototype));

// Cycles and depth.
const ring = { name: 'ring' };
ring.self = ring;
ring.list = [ring, { ring }];
show(ring);
show([ring, ring]);
const map = new Map();
map.set('map', map).set(map, 1);
show(map);
const a = {};
const b = { a };
a.b = b;
show({ a, b });
show({ a: { b: { c: { d: { e: { f: { g: { h: 1 } } } } } }, m: NaN } });
show({ a: { b: { c: { d: { e: { f: { g: [1], h: [], i: {}, j: new Map([[1, 2]]), k: new Dog(), l: new Map() } } } } }, m: NaN } });

// Strings inside of other values.
show(["it's", 'a"b\'', `all '"\``, '\\', '\x00\x1b\x7f\x9f', '\b\t\n\v\f\r', '\ud800', 'ü😀', NaN]);

// Directives.
function say(...args) {
  console.log(...args);
}
say('%s is %d years and %i months, %f', 'Bob', 42.5, '42.9px', '1.5e3');
say('%s %s %s %s %s', 1n, Symbol('x'), null, undefined, -0);
say('%d %d %d %i %f', '0x10', 5n, Symbol('x'), 'x', 'y');
say('%j %j', { a: [1] }, 'x');
say('%c styled', 'color: red');
say('100% of %x %', 5);
say('%%', 1);
say('%%');
say('%s');
say('%s and %s', 'one');
say('a', 'b', 'c %s', 'd');
say('%o', 'text');
say('%s', { toString() { return 'its own text'; } });
say('%s', new (class { toString() { return 'of its class'; } })());
say(5, '%s', 6);
say();
say('');
