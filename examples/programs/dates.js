// Dates without Intl: weeks, month ends, durations and a format of one's own, all in UTC.
const day = 24 * 60 * 60 * 1000;
const date = (text) => new Date(`${text}T00:00:00Z`);
const iso = (value) => value.toISOString().slice(0, 10);

function isoWeek(value) {
  const thursday = new Date(value.getTime() + (3 - ((value.getUTCDay() + 6) % 7)) * day);
  const firstThursday = new Date(Date.UTC(thursday.getUTCFullYear(), 0, 4));
  const week = 1 + Math.round(((thursday - firstThursday) / day - 3 + ((firstThursday.getUTCDay() + 6) % 7)) / 7);
  return `${thursday.getUTCFullYear()}-W${String(week).padStart(2, '0')}`;
}

function addMonths(value, months) {
  const moved = new Date(Date.UTC(value.getUTCFullYear(), value.getUTCMonth() + months, 1));
  const last = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate();
  moved.setUTCDate(Math.min(value.getUTCDate(), last));
  return moved;
}

function duration(ms) {
  const parts = [[day, 'd'], [3600000, 'h'], [60000, 'min'], [1000, 's']];
  return parts.map(([size, unit]) => { const n = Math.floor(ms / size); ms -= n * size; return n ? `${n} ${unit}` : ''; }).filter(Boolean).join(' ');
}

const names = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const months = 'January February March April May June July August September October November December'.split(' ');
const long = (value) => `${names[value.getUTCDay()]}, ${value.getUTCDate()} ${months[value.getUTCMonth()]} ${value.getUTCFullYear()}`;

for (const text of ['2024-12-30', '2026-01-01', '2027-01-03']) console.log(`${text} is in ${isoWeek(date(text))}`);
({
  monthEnds: [1, 2, 12, 13].map((n) => iso(addMonths(date('2024-01-31'), n))),
  took: duration(date('2026-03-04') - date('2026-03-01') + 3723000),
  long: long(date('2026-11-15')),
  leap: [1900, 2000, 2024, 2026].filter((year) => new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1),
});
