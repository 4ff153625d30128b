// Maps and Sets on the way; plain objects and arrays at the end, since those can leave.
const employees = await db.query({ table: 'employees' });

const byId = new Map(employees.map((employee) => [employee.id, employee]));
const reports = new Map();
for (const { id, manager } of employees) {
  if (manager === null) continue;
  if (!reports.has(manager)) reports.set(manager, new Set());
  reports.get(manager).add(id);
}

const chainOf = (id) => {
  const { name, manager } = byId.get(id);
  return manager === null ? [name] : [name, ...chainOf(manager)];
};

const toPlain = (value) => {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [key, toPlain(item)]));
  if (value instanceof Set) return [...value].map(toPlain);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(toPlain);
  if (value && typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toPlain(item)]));
  return value;
};

console.log(reports);
console.log(chainOf(6).join(' → '));
toPlain({ reports, latest: new Date(Math.max(...employees.map(({ hired }) => Date.parse(hired)))), teams: new Set(employees.map(({ team }) => team)), entries: [...reports.entries()].map(([id, set]) => [byId.get(id).name, set.size]) });
