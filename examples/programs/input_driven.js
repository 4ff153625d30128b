// A function of the input: what a caller gives decides what comes back.
async ({ team, raise = 0, currency = 'EUR', include: { managers = true } = {} }) => {
  const employees = await db.query({ table: 'employees', where: team ? { team } : {} });
  const isManager = new Set((await db.query({ table: 'employees' })).map(({ manager }) => manager));

  const rows = employees
    .filter(({ id }) => managers || !isManager.has(id))
    .map(({ name, salary }) => ({ name, before: salary, after: Math.round(salary * (1 + raise / 100) * 100) / 100 }));

  const cost = rows.reduce((sum, { before, after }) => sum + after - before, 0);
  console.log(`${rows.length} people, ${cost.toFixed(2)} ${currency} more a year`);
  return { team: team ?? 'all', rows, cost: Number(cost.toFixed(2)), currency };
};
