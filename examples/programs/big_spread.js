// Big arrays in calls: Math.max(...values), push(...values), apply and concat.
const values = Array.from({ length: 200_000 }, (_, i) => (i * 7919) % 200_003);

const max = Math.max(...values);
const min = Math.min.apply(null, values);

const copy = [];
copy.push(...values);
copy.unshift(...values.slice(0, 100_000));
const both = [].concat(values, ...[copy, [1, 2]]);

const count = ((...rest) => rest.length)(...values);
const text = String.fromCharCode(...values.slice(0, 100_000).map((value) => 65 + (value % 26)));
const histogram = values.reduce((counts, value) => {
  counts[value % 5]++;
  return counts;
}, [0, 0, 0, 0, 0]);

const chunks = [];
for (let i = 0; i < values.length; i += 50_000) chunks.push(values.slice(i, i + 50_000));
const merged = [].concat(...chunks);

console.log(`max ${max}, min ${min}, ${copy.length} copied, ${both.length} in both`);
({ max, min, count, histogram, text: [text.length, text.slice(0, 10)], merged: merged.length, same: merged.every((value, i) => value === values[i]), set: new Set(values).size, spread: [...values, ...new Set([1, 1, 2])].length });
