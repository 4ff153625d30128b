// Iterator helpers: lazy pipelines over what may be endless.
function* pages() {
  for (let page = 1; ; page++) {
    asked.push(page);
    yield { page, items: Array.from({ length: 4 }, (_, i) => page * 10 + i) };
  }
}

const asked = [];
const even = pages()
  .flatMap(({ items }) => items)
  .filter((item) => item % 2 === 0)
  .map((item) => ({ item, square: item ** 2 }))
  .drop(1)
  .take(4)
  .toArray();
console.log(`asked for pages ${asked.join(', ')}`);

const prices = new Map([['tea', 4.5], ['coffee', 6.25], ['juice', 3.2]]);
const expensive = prices.entries().filter(([, price]) => price > 4).map(([name]) => name).toArray();
const total = prices.values().reduce((sum, price) => sum + price, 0);

const log = [];
new Set(['x', 'y']).values().forEach((value, index) => log.push(`${index}:${value}`));

class Countdown extends Iterator {
  #n;
  constructor(n) { super(); this.#n = n; }
  next() { return this.#n > 0 ? { value: this.#n--, done: false } : { value: undefined, done: true }; }
  return() { log.push(`stopped at ${this.#n}`); return { done: true }; }
}

const found = new Countdown(10).find((n) => n < 8);
const wrapped = Iterator.from({ i: 0, next() { return { value: this.i, done: this.i++ >= 3 }; } }).map((n) => n * 2);
({
  even, expensive, total: total.toFixed(2), log, found,
  wrapped: [...wrapped],
  countdown: new Countdown(3).map(String).toArray(),
  some: [[1, 2].values().some((n) => n > 1), [1, 2].values().every((n) => n > 1)],
  isIterator: [].values() instanceof Iterator,
});
