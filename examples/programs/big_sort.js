// Sort 100,000 records by several keys, find duplicates, take percentiles.
let seed = 42;
const random = () => ((seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32);

const records = Array.from({ length: 100_000 }, (_, id) => ({
  id,
  group: 'ABCDE'[Math.floor(random() * 5)],
  score: Math.floor(random() * 1000),
}));

const sorted = records.toSorted((a, b) => (a.group < b.group ? -1 : a.group > b.group ? 1 : b.score - a.score));
const stable = sorted.every((record, i) => {
  const before = sorted[i - 1];
  return !before || before.group !== record.group || before.score !== record.score || before.id < record.id;
});

const scores = Float64Array.from(records, ({ score }) => score).sort();
const percentile = (p) => scores[Math.min(scores.length - 1, Math.floor((p / 100) * scores.length))];

const binarySearch = (list, target) => {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle] < target) low = middle + 1;
    else high = middle;
  }
  return low;
};

const top = sorted.filter((record, i) => sorted[i - 1]?.group !== record.group).map(({ group, score, id }) => `${group}${score}#${id}`);
console.log(top.join(' '));
({
  stable,
  percentiles: [50, 90, 99, 100].map(percentile),
  below500: binarySearch(scores, 500),
  mean: +(scores.reduce((a, b) => a + b, 0) / scores.length).toFixed(3),
  names: records.slice(0, 1000).map(({ id }) => `item-${id}`).sort().slice(0, 4),
});
