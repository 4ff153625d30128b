// Generators: infinite sequences, pipelines, two-way communication, delegation.
function* naturals(from = 1) { while (true) yield from++; }
function* take(n, iterable) { let i = 0; for (const value of iterable) { if (i++ >= n) return; yield value; } }
function* filter(iterable, test) { for (const value of iterable) if (test(value)) yield value; }
function* map(iterable, change) { for (const value of iterable) yield change(value); }

const isPrime = (n) => { for (let d = 2; d * d <= n; d++) if (n % d === 0) return false; return n > 1; };
const primes = [...take(10, filter(naturals(), isPrime))];

function* averager() {
  let sum = 0, count = 0, value;
  try {
    while (true) {
      value = yield count ? sum / count : null;
      sum += value;
      count++;
    }
  } finally {
    console.log(`averaged ${count} values`);
  }
}
const average = averager();
average.next();
const averages = [10, 20, 60].map((value) => average.next(value).value);
const ended = average.return('done');

function* walk(node, depth = 0) {
  yield `${'  '.repeat(depth)}${node.name}`;
  for (const child of node.children ?? []) yield* walk(child, depth + 1);
}
const tree = { name: 'root', children: [{ name: 'a', children: [{ name: 'a1' }, { name: 'a2' }] }, { name: 'b' }] };
for (const line of walk(tree)) console.log(line);

const permutations = function* (items) {
  if (items.length < 2) yield items;
  else for (let i = 0; i < items.length; i++) for (const rest of permutations([...items.slice(0, i), ...items.slice(i + 1)])) yield [items[i], ...rest];
};
const fibonacci = { *[Symbol.iterator]() { let [a, b] = [0, 1]; for (;;) { yield a; [a, b] = [b, a + b]; } } };
const [, , , , ...rest] = take(8, fibonacci);
({ primes, averages, ended, squares: [...map(take(4, naturals()), (n) => n ** 2)], permutations: [...permutations(['x', 'y', 'z'])].map((p) => p.join('')), rest });
