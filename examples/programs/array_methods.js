// The newer methods of arrays, and the older ones that are easily mistaken.
const orders = (await db.query({ table: 'orders', limit: 12 })).map(({ id, sku, quantity }) => ({ id, sku, quantity }));

const original = [5, 1, 4];
const results = {
  sorted: original.toSorted((a, b) => a - b),
  reversed: original.toReversed(),
  spliced: original.toSpliced(1, 1, 'x', 'y'),
  replaced: original.with(-1, 99),
  untouched: original,
  last: orders.findLast(({ sku }) => sku === 'T-1')?.id,
  lastIndex: orders.findLastIndex(({ quantity }) => quantity > 100),
  at: [orders.at(-1).id, orders.at(100) ?? 'none'],
  flat: [1, [2, [3, [4]]]].flat(Infinity),
  flatMap: orders.slice(0, 3).flatMap(({ sku, quantity }) => Array(quantity).fill(sku)),
  filled: new Array(3).fill().map((_, i) => i ** 2),
  from: Array.from({ length: 3 }, (_, i) => String.fromCharCode(97 + i)),
  copyWithin: [1, 2, 3, 4, 5].copyWithin(0, 3),
  includes: [[NaN].includes(NaN), [NaN].indexOf(NaN), 'abc'.includes('bc')],
  entries: [...['a', 'b'].entries()],
  some: [orders.some(({ quantity }) => quantity > 4), orders.every(({ id }) => id > 0), [].every(() => false)],
  reduceRight: [['a', 1], ['b', 2]].reduceRight((object, [key, value]) => ({ ...object, [key]: value }), {}),
  joined: [1, null, undefined, [2, [3]], {}].join('-'),
  map: ['1', '2', '3'].map(Number).concat(['10', '10', '10'].map(parseInt).map((n) => (Number.isNaN(n) ? 'NaN' : n))),
  lastIndexOf: [1, 2, 1].lastIndexOf(1),
  zip: [1, 2, 3].map((n, i) => [n, 'abc'[i]]),
};

const removed = original.splice(1, 1);
let emptyReduce;
try { [].reduce((a, b) => a + b); } catch (error) { emptyReduce = error.name; }

const inventory = orders.reduce((map, { sku, quantity }) => map.set(sku, (map.get(sku) ?? 0) + quantity), new Map());
const ranking = [...inventory].sort(([, a], [, b]) => b - a).map(([sku, total], i) => `${i + 1}. ${sku} (${total})`);
console.log(ranking.join('\n'));
({ ...results, removed, emptyReduce, isArray: [Array.isArray([]), Array.isArray({ length: 0 })], of: Array.of(7), length: Object.assign([], { 5: 'x' }).length });
