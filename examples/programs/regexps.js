// Take a log apart with regular expressions: named groups, a URL's parts, and what did not fit.
const line = /^(?<host>\S+) \S+ \S+ \[(?<day>\d{2})\/(?<month>\w{3})\/(?<year>\d{4}):(?<time>[\d:]+) (?<zone>[+-]\d{4})\] "(?<method>[A-Z]+) (?<path>\S+) HTTP\/(?<version>[\d.]+)" (?<status>\d{3}) (?<bytes>\d+)$/;
const text = await tools.readFile({ name: 'access.log' });

const entries = [];
const damaged = [];
for (const [index, row] of text.split('\n').entries()) {
  const groups = line.exec(row)?.groups;
  if (!groups) damaged.push(index + 1);
  else entries.push({ ...groups, status: Number(groups.status), bytes: Number(groups.bytes) });
}
const byClass = Object.groupBy(entries, ({ status }) => `${Math.floor(status / 100)}xx`);
const paths = entries.map(({ path }) => new URL(path, 'http://log/'));
console.log(text.replaceAll(/\b(\d+)\.(\d+)\.\d+\.\d+\b/g, '$1.$2.*.*').split('\n')[0]);
({
  damaged,
  byClass: Object.fromEntries(Object.entries(byClass).map(([name, list]) => [name, list.length])),
  pages: paths.flatMap((url) => url.searchParams.getAll('page').map(Number)),
  words: [...'snake_case and kebab-case'.matchAll(/[a-z]+(?=[_-])|(?<=[_-])[a-z]+/g)].map((match) => match[0]),
});
