// Group rows with Object.groupBy and Map.groupBy.
const employees = await db.query({ table: 'employees' });
const orders = await db.query({ table: 'orders' });

const byTeam = Object.groupBy(employees, ({ team }) => team);
const report = Object.entries(byTeam).map(([team, members]) => {
  const salaries = members.map(({ salary }) => salary).sort((a, b) => a - b);
  const middle = Math.floor(salaries.length / 2);
  const median = salaries.length % 2 ? salaries[middle] : (salaries[middle - 1] + salaries[middle]) / 2;
  return { team, size: members.length, median, max: Math.max(...salaries) };
});

const byMonth = Map.groupBy(orders, ({ at }) => new Date(at).getUTCMonth() + 1);
const months = new Map([...byMonth].map(([month, list]) => [month, list.reduce((sum, { quantity }) => sum + quantity, 0)]));
for (const [month, quantity] of months) console.log(`2026-${String(month).padStart(2, '0')}: ${'#'.repeat(quantity / 10)} ${quantity}`);

const bySize = Object.groupBy(orders, ({ quantity }) => (quantity > 3 ? 'large' : 'small'));
({ report, large: bySize.large.length, small: bySize.small.length, hasPrototype: Object.getPrototypeOf(bySize) !== null });
