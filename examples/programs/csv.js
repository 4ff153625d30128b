// Parse CSV with quotes, commas and line ends inside of fields, and summarise it.
function parseCsv(text) {
  const rows = [];
  let row = [];
  let field = '';
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted) {
      if (c !== '"') field += c;
      else if (text[i + 1] === '"') field += text[++i];
      else quoted = false;
    } else if (c === '"') quoted = true;
    else if (c === ',') { row.push(field); field = ''; }
    else if (c === '\n') { rows.push([...row, field]); row = []; field = ''; }
    else field += c;
  }
  if (field || row.length) rows.push([...row, field]);
  const [names, ...values] = rows;
  return values.map((value) => Object.fromEntries(names.map((name, i) => [name, value[i]])));
}

const sales = parseCsv(await tools.readFile({ name: 'sales.csv' }));
const units = {};
for (const { product, units: count } of sales) units[product] = (units[product] ?? 0) + Number(count);
const byDay = Object.groupBy(sales, ({ day }) => day);
const notes = sales.map((sale) => sale.note).filter(Boolean);
console.log(`${sales.length} sales on ${Object.keys(byDay).length} days`);
({ units, notes });
