// A receipt in columns: padStart, padEnd, repeat.
const WIDTH = 40;
const center = (text) => text.padStart(Math.floor((WIDTH + text.length) / 2)).padEnd(WIDTH);
const columns = (left, right) => left.padEnd(WIDTH - right.length, '.') + right;

const basket = [['T-1', 3], ['B-2', 12], ['C-9', 1]];
const products = await db.query({ table: 'products' });
const bySku = Object.fromEntries(products.map((product) => [product.sku, product]));

const lines = [];
let total = 0;
for (const [sku, quantity] of basket) {
  const { name, price, stock } = bySku[sku];
  if (stock < quantity) {
    lines.push(columns(name, 'sold out'));
    continue;
  }
  const sum = price * quantity;
  total += sum;
  lines.push(columns(`${String(quantity).padStart(2)} x ${name}`, sum.toFixed(2)));
}

console.log([
  '='.repeat(WIDTH),
  center('THE SHOP'),
  '='.repeat(WIDTH),
  ...lines,
  '-'.repeat(WIDTH),
  columns('TOTAL', total.toFixed(2)),
].join('\n'));
({ total, lines: lines.length, tail: lines.map((line) => line.slice(-8)), trimmed: '  x\t\n'.trim().length, cut: 'abcdef'.substring(4, 1), at: 'abc'.at(-1) });
