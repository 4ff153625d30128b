// What models print to look at their data: tables, groups, counts.
const employees = await db.query({ table: 'employees', where: { team: 'sales' } });
console.table(employees.map(({ id, name, salary }) => ({ id, name, salary })));
console.table([['a', 1], ['b', 2]]);

console.group('Products');
for (const product of await db.query({ table: 'products' })) {
  console.log(product.name);
  console.group();
  console.log(`price ${product.price}`);
  if (product.stock === 0) console.warn('sold out');
  console.groupEnd();
}
console.groupEnd();

for (const { status } of [{ status: 'ok' }, { status: 'error' }, { status: 'ok' }]) console.count(status);
console.countReset('ok');
console.count('ok');
console.assert(employees.length === 2, 'two of them work in sales');
console.assert(employees.length === 3, 'three of them work in %s', 'sales');
console.dir({ nested: { list: [1, 2] } });
'done';
