// Tables of a company, made up and always the same.

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

const tables = {
  employees: [
    { id: 1, name: 'Åsa Öberg', team: 'platform', salary: 72500, manager: null, hired: '2019-04-01' },
    { id: 2, name: 'Zoë Quinn', team: 'platform', salary: 64000, manager: 1, hired: '2021-09-15' },
    { id: 3, name: 'émile Zola', team: 'sales', salary: 51250.5, manager: 1, hired: '2020-02-29' },
    { id: 4, name: 'Ørsted', team: 'sales', salary: 48000, manager: 3, hired: '2024-12-31' },
    { id: 5, name: 'adam', team: 'support', salary: 39900, manager: 3, hired: '2023-07-03' },
    { id: 6, name: 'Bob', team: 'support', salary: 39900, manager: 5, hired: '2025-01-20' },
  ],
  products: [
    { sku: 'T-1', name: 'Tea', price: 4.5, stock: 120, tags: ['drink', 'hot'] },
    { sku: 'C-9', name: 'Coffee', price: 6.25, stock: 0, tags: ['drink', 'hot', 'strong'] },
    { sku: 'J-3', name: 'Juice', price: 3.2, stock: 45, tags: ['drink', 'cold'] },
    { sku: 'B-2', name: 'Biscuit', price: 2, stock: 300, tags: ['food'] },
  ],
  orders: Array.from({ length: 60 }, (_, i) => ({
    id: i + 1,
    sku: ['T-1', 'C-9', 'J-3', 'B-2'][(i * 5) % 4],
    quantity: 1 + (i * 3) % 5,
    at: new Date(Date.UTC(2026, 0, 1) + i * 31 * 3600 * 1000).toISOString(),
    customer: `c${(i * 7) % 9}`,
  })),
};

export async function query({ table, where = {}, limit = 1000 }) {
  await sleep(1);
  if (!(table in tables)) throw new Error(`no such table: ${table}`);
  return tables[table].filter((row) => Object.entries(where).every(([key, value]) => row[key] === value)).slice(0, limit);
}

export async function insert({ table, row }) {
  await sleep(1);
  if (!(table in tables)) throw new Error(`no such table: ${table}`);
  const id = tables[table].length + 1;
  if (row.id !== undefined) throw new Error(`duplicate key: id ${row.id}`);
  tables[table].push({ id, ...row });
  return { id };
}

export const count = async ({ table }) => tables[table]?.length ?? 0;

// A query that takes its time.
export async function slowQuery({ ms, answer }) {
  await sleep(ms);
  return { answer, ms };
}

// A folder, one level at a time.
const folders = {
  '/': ['src/', 'docs/', 'package.json'],
  '/src/': ['app.ts', 'lib/'],
  '/src/lib/': ['date.ts', 'money.ts', 'deep/'],
  '/src/lib/deep/': ['a.txt'],
  '/docs/': ['index.md'],
};
export async function list({ path }) {
  if (!(path in folders)) throw new Error(`ENOENT: no such directory ${path}`);
  return folders[path].map((name) => ({ name: name.replace('/', ''), kind: name.endsWith('/') ? 'folder' : 'file', size: name.length * 100 }));
}
