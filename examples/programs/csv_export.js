// Write CSV with quoting, and read it back.
const rows = [
  { id: 1, name: 'Smith, John', note: 'said "hi"', price: 12.5, active: true },
  { id: 2, name: 'Müller', note: 'two\nlines', price: 0, active: false },
  { id: 3, name: '東京', note: null, price: 1e21, active: true },
  { id: 4, name: '', note: undefined, price: -0.1 + 0.3, active: true },
];

function toCsv(data) {
  const headers = Object.keys(data[0]);
  const escape = (value) => {
    if (value === null || value === undefined) return '';
    const text = String(value);
    return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  };
  return [headers.join(','), ...data.map((row) => headers.map((header) => escape(row[header])).join(','))].join('\r\n');
}

function fromCsv(text) {
  const cells = [[]];
  const pattern = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r?\n|$)/g;
  for (const [, cell, end] of text.matchAll(pattern)) {
    cells.at(-1).push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end === '') break;
    if (end !== ',') cells.push([]);
  }
  const [headers, ...body] = cells;
  return body.map((line) => Object.fromEntries(headers.map((header, i) => [header, line[i]])));
}

const csv = toCsv(rows);
const back = fromCsv(csv);
console.log(JSON.stringify(csv.split('\r\n')[1]));
console.log(back.map(({ name }) => name));
({ csv, same: toCsv(back) === csv, rows: back.length });
