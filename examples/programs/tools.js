// What the programs of this folder call: a small shop, made up and always the same.

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

const customers = [
  { id: 1, name: 'Ada', country: 'GB' },
  { id: 2, name: 'Grace', country: 'US' },
  { id: 3, name: 'Zuse', country: 'DE' },
];
const orders = Array.from({ length: 47 }, (_, i) => ({
  id: 100 + i,
  customer: 1 + (i * 7) % 3,
  cents: 500 + (i * 7919) % 9000,
  status: ['paid', 'open', 'paid', 'cancelled'][i % 4],
}));

export const listCustomers = async () => customers;

export async function ordersOf({ customer }) {
  await sleep(3);
  return orders.filter((order) => order.customer === customer);
}

export async function listOrders({ cursor = 0, limit = 10 }) {
  const next = cursor + limit;
  return { items: orders.slice(cursor, next), cursor: next < orders.length ? next : null };
}

let attempts = 0;
export async function stockLevel({ sku }) {
  if (++attempts % 3 !== 0) throw new Error(`warehouse is busy (attempt ${attempts})`);
  return { sku, level: 12 };
}

let running = 0;
let most = 0;
export async function resize({ image }) {
  most = Math.max(most, ++running);
  await sleep(2 + (image % 3));
  running--;
  return { image, bytes: 1000 + image * 10, mostAtOnce: most };
}

export const readFile = async ({ name }) => {
  const files = {
    'sales.csv': 'day,product,units,note\n2026-03-01,Tea,12,\n2026-03-01,"Cake, large",3,"said ""fresh"""\n' +
      '2026-03-02,Tea,7,\n2026-03-02,Coffee,20,"two\nlines"\n2026-03-03,"Cake, large",1,\n',
    'access.log': [
      '10.0.0.1 - - [04/Mar/2026:10:00:01 +0000] "GET /index.html HTTP/1.1" 200 512',
      '10.0.0.2 - - [04/Mar/2026:10:00:02 +0000] "POST /api/orders HTTP/1.1" 201 87',
      'this line is damaged',
      '10.0.0.1 - - [04/Mar/2026:10:00:09 +0000] "GET /api/orders?page=2 HTTP/1.1" 500 0',
      '10.0.0.3 - - [04/Mar/2026:10:01:00 +0000] "GET /index.html HTTP/1.1" 304 0',
    ].join('\n'),
  };
  if (!(name in files)) throw new Error(`no file ${name}`);
  return files[name];
};

export async function readings() {
  const list = [];
  for (let i = 0; i < 5000; i++) list.push({ sensor: `s${i % 7}`, at: i * 60, value: (i * 37) % 101, ok: i % 50 !== 0 });
  return { generated: '2026-03-04T00:00:00Z', readings: list };
}

// A file in parts, cut wherever it happens, also inside of a character; base64, since values are JSON.
export async function readPart({ part }) {
  const text = Array.from({ length: 12 }, (_, i) => JSON.stringify({ n: i, city: ['Köln', 'Århus', 'Łódź', '東京'][i % 4], ok: i % 3 !== 0 })).join('\n');
  const bytes = new TextEncoder().encode(text);
  const piece = bytes.subarray(part * 100, (part + 1) * 100);
  return { data: btoa(String.fromCharCode(...piece)), last: (part + 1) * 100 >= bytes.length };
}
