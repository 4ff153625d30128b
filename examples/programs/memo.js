// Dynamic programming: memoised recursion, coin change, longest common subsequence, knapsack.
function memoize(fn, key = (...args) => JSON.stringify(args)) {
  const cache = new Map();
  const memoized = (...args) => {
    const k = key(...args);
    if (!cache.has(k)) cache.set(k, fn(...args));
    return cache.get(k);
  };
  memoized.cache = cache;
  return memoized;
}

const fibonacci = memoize((n) => (n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2)), (n) => n);
const paths = memoize((rows, columns) => (rows === 1 || columns === 1 ? 1 : paths(rows - 1, columns) + paths(rows, columns - 1)));

function coinChange(coins, amount) {
  const fewest = Array(amount + 1).fill(Infinity);
  fewest[0] = 0;
  for (let sum = 1; sum <= amount; sum++) {
    for (const coin of coins) if (coin <= sum) fewest[sum] = Math.min(fewest[sum], fewest[sum - coin] + 1);
  }
  return Number.isFinite(fewest[amount]) ? fewest[amount] : -1;
}

function lcs(a, b) {
  const table = Array.from({ length: a.length + 1 }, () => new Array(b.length + 1).fill(0));
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      table[i][j] = a[i - 1] === b[j - 1] ? table[i - 1][j - 1] + 1 : Math.max(table[i - 1][j], table[i][j - 1]);
    }
  }
  let result = '';
  for (let i = a.length, j = b.length; i && j; ) {
    if (a[i - 1] === b[j - 1]) { result = a[--i] + result; j--; } else if (table[i - 1][j] >= table[i][j - 1]) i--; else j--;
  }
  return result;
}

const distance = (a, b) => {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    row = next;
  }
  return row.at(-1);
};

const tables = await Promise.all(['employees', 'products'].map((table) => db.count({ table })));
console.log(`fibonacci(90) = ${fibonacci(90)}, ${fibonacci.cache.size} cached`);
({ paths: paths(15, 15), deep: Number.isFinite(fibonacci(1400)), coins: coinChange([1, 5, 10, 25], 63), impossible: coinChange([5], 3), lcs: lcs('AGGTABQWERTY', 'GXTXAYBWRT'), distances: [['kitten', 'sitting'], ['', 'abc'], ['same', 'same']].map(([a, b]) => distance(a, b)), tables });
