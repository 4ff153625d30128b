// Dates: add, compare, count working days, write ISO text.
const DAY = 24 * 60 * 60 * 1000;
const addDays = (date, days) => new Date(date.getTime() + days * DAY);
const isoDate = (date) => date.toISOString().split('T')[0];

function addMonths(date, months) {
  const result = new Date(date);
  const day = result.getUTCDate();
  result.setUTCDate(1);
  result.setUTCMonth(result.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(result.getUTCFullYear(), result.getUTCMonth() + 1, 0)).getUTCDate();
  result.setUTCDate(Math.min(day, lastDay));
  return result;
}

function workingDays(from, to) {
  let count = 0;
  for (let day = new Date(from); day < to; day = addDays(day, 1)) {
    if (day.getUTCDay() % 6 !== 0) count++;
  }
  return count;
}

const start = new Date('2026-01-31T10:00:00Z');
const due = addMonths(start, 1);
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
console.log(`start ${isoDate(start)} (${weekdays[start.getUTCDay()]}), due ${isoDate(due)}`);

const employees = await db.query({ table: 'employees' });
const today = new Date('2026-03-04');
const tenure = employees.map(({ name, hired }) => {
  const days = Math.round((today - new Date(hired)) / DAY);
  return { name, years: +(days / 365.25).toFixed(2), anniversary: isoDate(addMonths(new Date(hired), 12 * 5)) };
});

const parsed = ['2026-03-04', '2026-03-04T12:30:00+02:00', '2026-03-04T12:30:00.123Z', 'Wed, 04 Mar 2026 12:30:00 GMT', 'March 4, 2026 12:30', 'not a date']
  .map((text) => {
    const date = new Date(text);
    return Number.isNaN(date.getTime()) ? 'invalid' : date.toISOString();
  });

({ due: due.toISOString(), workingDays: workingDays(start, new Date('2026-03-01')), quarter: Math.ceil((today.getUTCMonth() + 1) / 3), tenure, parsed, json: JSON.stringify({ at: start }) });
