// Recursion: a chain of 10,000 nodes, a folder tree, deep comparison and flattening.
const DEPTH = 10_000;

let chain = null;
for (let i = DEPTH; i >= 1; i--) chain = { value: i, next: chain };

const sum = (node) => (node === null ? 0 : node.value + sum(node.next));
const depth = (node) => (node ? 1 + depth(node.next) : 0);
function reverse(node, tail = null) {
  return node === null ? tail : reverse(node.next, { value: node.value, next: tail });
}
console.log(`${depth(chain)} levels, sum ${sum(chain)}, last ${reverse(chain).value}`);

async function tree(path = '/', indent = '') {
  let size = 0;
  for (const entry of await db.list({ path })) {
    console.log(`${indent}${entry.name}${entry.kind === 'folder' ? '/' : ''}`);
    size += entry.kind === 'folder' ? await tree(`${path}${entry.name}/`, `${indent}  `) : entry.size;
  }
  return size;
}

const flatten = (object, prefix = '') =>
  Object.entries(object).reduce((flat, [key, value]) => {
    const path = prefix ? `${prefix}.${key}` : key;
    return value && typeof value === 'object' ? { ...flat, ...flatten(value, path) } : { ...flat, [path]: value };
  }, {});

const equal = (a, b) => {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => equal(a[key], b[key]));
};

const endless = () => endless() + 1;
let overflow;
try { endless(); } catch (error) { overflow = [error.name, error instanceof RangeError]; }

({
  size: await tree(),
  flat: flatten({ a: 1, b: { c: [10, { d: 'x' }], e: null } }),
  equal: [equal({ a: [1, { b: NaN }] }, { a: [1, { b: NaN }] }), equal({ a: 1 }, { a: 1, b: undefined }), equal([], {})],
  overflow,
  ackermann: (function a(m, n) { return m === 0 ? n + 1 : n === 0 ? a(m - 1, 1) : a(m - 1, a(m, n - 1)); })(2, 9),
});
