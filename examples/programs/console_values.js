// Log lines of values that JSON does not carry, and format directives.
class Point { constructor(x, y) { this.x = x; this.y = y; } }
class Empty {}

console.log('%s is %d years old', 'Ada', 36);
console.log('%i of %i (%f%%)', 3.9, 10, 37.5);
console.log('%s', 'left over:', { a: 1 }, [2], new Set([3]));
console.log('100%', 'done');
console.log(undefined, null, NaN, Infinity, -0, true);
console.log(10n, Symbol('id'), Symbol.iterator);
console.log([undefined, null, NaN, () => 1, function named() {}]);
console.log({ when: new Date(Date.UTC(2026, 2, 4)), pattern: /a+/gi, big: 1n });
console.log(new Date(0));
console.log(new Map([['a', { b: [1, 2] }], [{ k: 1 }, 'v']]), new Set([1, 'two', [3]]));
console.log(new Point(1, 2), new Empty(), Object.create(null));
console.log([new Point(1, 2)], { p: new Empty() });
console.log(new Uint8Array([1, 2, 3]), new ArrayBuffer(2).byteLength);
console.log(Promise.resolve(1), new Promise(() => {}), new WeakMap());
console.log(class A {}, class B extends Point {}, () => {}, async () => {}, function* gen() {});
console.log([1, , 3], [, ,], Array(3));
console.log({ get computed() { return 1; }, set only(value) {}, ['with space']: 1, nested: { deeper: { deepest: { end: new Set() } } } });
console.log(Object.assign(() => {}, { extra: true }), Object.assign([1], { key: 'v' }));
console.log({ text: "it's", other: 'plain', [Symbol('s')]: 1, fn() {} });
const loop = { name: 'loop' };
loop.self = loop;
console.log(loop);
console.log({ s: new String('boxed'), n: new Number(1), e: [].values() });
console.log();
console.log('');
console.log('a\tb', ['a\tb'], new Set(['line\nbreak']));
