// When does a job run next? Cron expressions, in UTC.
function field(text, min, max) {
  const values = new Set();
  for (const part of text.split(',')) {
    const [, range, step = '1'] = /^(\*|\d+(?:-\d+)?)(?:\/(\d+))?$/.exec(part) ?? [];
    if (!range) throw new SyntaxError(`bad field '${part}'`);
    const [from, to = text.includes('/') ? max : from] = range === '*' ? [min, max] : range.split('-').map(Number);
    for (let value = from; value <= to; value += Number(step)) values.add(value);
  }
  return values;
}

function* occurrences(cron, after) {
  const [minutes, hours, days, months, weekdays] = cron.split(/\s+/).map((text, i) => field(text, [0, 0, 1, 1, 0][i], [59, 23, 31, 12, 6][i]));
  const at = new Date(after);
  at.setUTCSeconds(0, 0);
  for (;;) {
    at.setUTCMinutes(at.getUTCMinutes() + 1);
    if (!months.has(at.getUTCMonth() + 1)) { at.setUTCMonth(at.getUTCMonth() + 1, 1); at.setUTCHours(0, -1); continue; }
    if (!days.has(at.getUTCDate()) || !weekdays.has(at.getUTCDay())) { at.setUTCHours(24, -1); continue; }
    if (!hours.has(at.getUTCHours())) { at.setUTCMinutes(59); continue; }
    if (minutes.has(at.getUTCMinutes())) yield new Date(at);
  }
}

const humanize = (ms) => {
  const units = [['day', 86_400_000], ['hour', 3_600_000], ['minute', 60_000]];
  const parts = [];
  for (const [name, size] of units) {
    const count = Math.floor(ms / size);
    ms %= size;
    if (count) parts.push(`${count} ${name}${count > 1 ? 's' : ''}`);
  }
  return parts.slice(0, 2).join(' and ') || 'now';
};

const now = new Date('2026-02-27T16:45:30Z');
const jobs = { backup: '30 3 * * *', report: '0 9 * * 1-5', invoice: '0 0 1 * *', leap: '15 12 29 2 *', poll: '*/20 * * * *' };
const plan = Object.entries(jobs).map(([name, cron]) => {
  const next = occurrences(cron, now).take(3).toArray();
  return { name, next: next.map((date) => date.toISOString().slice(0, 16).replace('T', ' ')), in: humanize(next[0] - now) };
});
let wrong;
try { field('a-b', 0, 9); } catch (error) { wrong = `${error.name}: ${error.message}`; }
for (const { name, in: wait } of plan) console.log(`${name.padEnd(8)} in ${wait}`);
({ plan, wrong });
