// Fetch many things at once and join them: each customer with what they have paid.
const customers = await tools.listCustomers();
const orders = await Promise.all(customers.map(({ id }) => tools.ordersOf({ customer: id })));

const rows = customers.map((customer, i) => {
  const paid = orders[i].filter((order) => order.status === 'paid');
  const cents = paid.reduce((sum, order) => sum + order.cents, 0);
  return { name: customer.name, country: customer.country, orders: orders[i].length, paid: cents / 100 };
});
rows.sort((a, b) => b.paid - a.paid);
for (const row of rows) console.log(`${row.name.padEnd(6)} ${row.paid.toFixed(2).padStart(8)} (${row.orders} orders)`);
({ best: rows[0].name, total: rows.reduce((sum, row) => sum + row.paid, 0) });
