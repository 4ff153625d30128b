// Remove duplicates, count, and look at what is in a Set and a Map on the way.
const orders = await db.query({ table: 'orders' });

const customers = new Set(orders.map((order) => order.customer));
console.log('customers', customers);

const quantityBySku = new Map();
for (const { sku, quantity } of orders) {
  quantityBySku.set(sku, (quantityBySku.get(sku) ?? 0) + quantity);
}
console.log('quantities', quantityBySku);
console.log(new Map([['first', { nested: [1, 2] }]]), new Set());

const seen = new Set();
const firstOrders = orders.filter(({ customer }) => {
  if (seen.has(customer)) return false;
  seen.add(customer);
  return true;
});
console.log('first orders of each customer:', firstOrders.map(({ id }) => id));

const pairs = [...new Map(orders.map(({ sku, customer }) => [`${sku}/${customer}`, { sku, customer }])).values()];
console.log(pairs.length, 'different pairs,', orders.length - pairs.length, 'repeated');

({
  customers: [...customers].sort(),
  quantities: Object.fromEntries([...quantityBySku].sort(([a], [b]) => (a < b ? -1 : 1))),
});
