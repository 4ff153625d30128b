// An async function that is called where it stands.
(async () => {
  const [employees, products] = await Promise.all([
    db.query({ table: 'employees' }),
    db.query({ table: 'products' }),
  ]);

  const payroll = employees.map(({ salary }) => salary).reduce((a, b) => a + b, 0);
  const value = products.reduce((sum, { price, stock }) => sum + price * stock, 0);
  const cheapest = products.reduce((best, product) => (product.price < best.price ? product : best));

  console.log('Payroll:', payroll, 'per year,', (payroll / 12).toFixed(2), 'per month');
  console.log('Stock value:', value);

  return {
    headcount: employees.length,
    averageSalary: Math.round(payroll / employees.length),
    stockValue: value,
    cheapest: cheapest?.name ?? null,
  };
})();
