// Amounts of money without Intl.
function formatCurrency(amount, { symbol = '$', thousands = ',', decimal = '.', digits = 2, after = false } = {}) {
  const sign = amount < 0 ? '-' : '';
  const [whole, fraction] = Math.abs(amount).toFixed(digits).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, thousands);
  const number = fraction ? `${grouped}${decimal}${fraction}` : grouped;
  return after ? `${sign}${number} ${symbol}` : `${sign}${symbol}${number}`;
}

const euro = { symbol: '€', thousands: '.', decimal: ',', after: true };
const yen = { symbol: '¥', digits: 0 };
const amounts = [0, 1, 12.345, 999.999, 1234.5, -1234567.891, 1e15, 0.1 + 0.2, 1.005, 2.5, 1.45];
for (const amount of amounts) {
  console.log(formatCurrency(amount).padStart(28), formatCurrency(amount, euro).padStart(28), formatCurrency(amount, yen).padStart(26));
}

const products = await db.query({ table: 'products' });
const net = products.reduce((cents, { price, stock }) => cents + Math.round(price * 100) * stock, 0);
const vat = Math.round(net * 0.19);

const numbers = [0.000001234, 123456789, 1e21, 0.1, 255, -1.5];
({
  net: formatCurrency(net / 100, euro),
  vat: formatCurrency(vat / 100, euro),
  gross: formatCurrency((net + vat) / 100, euro),
  precision: numbers.map((n) => n.toPrecision(3)),
  exponential: numbers.map((n) => n.toExponential(2)),
  hex: numbers.map((n) => n.toString(16)),
  percent: `${(37 / 113 * 100).toFixed(1)}%`,
  parsed: ['12px', '0x1f', ' 42 ', '1e3', '', 'abc', '1_000'].map((text) => [parseInt(text), parseFloat(text), Number(text)].map(String)),
});
