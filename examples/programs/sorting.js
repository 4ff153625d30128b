// Sort with several keys, with localeCompare, and stably.
const employees = await db.query({ table: 'employees' });

const byName = employees.map(({ name }) => name).sort((a, b) => a.localeCompare(b));
console.log(byName.join(' < '));

const bySalaryThenName = [...employees].sort((a, b) => b.salary - a.salary || a.name.localeCompare(b.name));
console.log(bySalaryThenName.map(({ name, salary }) => `${name} ${salary}`).join('; '));

const files = ['report-10.txt', 'Report-9.txt', 'report-1.txt', 'résumé.txt', 'resume.txt', '_draft.txt', '2026.txt'];
const natural = files.sort((a, b) => a.localeCompare(b, undefined, { numeric: true, sensitivity: 'base' }));

const versions = ['1.10.0', '1.2.0', '1.2', '2.0.0-beta', '1.2.10', '2.0.0', '0.9.9'];
const compareVersions = (a, b) => {
  const [left, right] = [a, b].map((version) => version.split(/[.-]/).map((part) => (/^\d+$/.test(part) ? Number(part) : -1)));
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
};

const sizes = ['XL', 'S', 'M', 'XXL', 'L'];
const order = ['S', 'M', 'L', 'XL', 'XXL'];
const stable = ['b1', 'a1', 'b2', 'a2', 'a3'].sort((x, y) => x.charCodeAt(0) - y.charCodeAt(0));
({
  versions: versions.sort(compareVersions),
  natural,
  sizes: sizes.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)),
  stable,
  plainNumbers: [10, 9, 1, 100, -1, undefined, 2].sort(),
  words: ['banana', 'apple', 'cherry'].sort((a, b) => b.localeCompare(a)),
  descending: Float64Array.from([3, 1, 2]).sort().reverse().join(),
});
