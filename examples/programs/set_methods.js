// Who is where: union, intersection, difference of sets.
const employees = await db.query({ table: 'employees' });
const platform = new Set(employees.filter(({ team }) => team === 'platform').map(({ name }) => name));
const wellPaid = new Set(employees.filter(({ salary }) => salary > 50_000).map(({ name }) => name));
const all = new Set(employees.map(({ name }) => name));

const both = platform.intersection(wellPaid);
const either = platform.union(wellPaid);
const others = all.difference(either);
const oneOf = platform.symmetricDifference(wellPaid);
console.log('both:', [...both].join(', '));
console.log('others:', others);

const permissions = {
  admin: new Set(['read', 'write', 'delete', 'share']),
  editor: new Set(['read', 'write', 'share']),
  viewer: new Set(['read']),
};
const can = (role, ...needed) => new Set(needed).isSubsetOf(permissions[role]);

const diff = (before, after) => {
  const [a, b] = [new Set(before), new Set(after)];
  return { added: [...b.difference(a)], removed: [...a.difference(b)], kept: a.intersection(b).size };
};

const seen = new Set();
const firstRepeated = ['a', 'b', 'c', 'b', 'a'].find((letter) => seen.size === seen.add(letter).size);
const chained = new Set([3, 1, 2]);
chained.add(1).add(4).delete(3);
({
  either: [...either], others: others.size, oneOf: [...oneOf],
  can: [can('editor', 'read', 'write'), can('viewer', 'write'), permissions.admin.isSupersetOf(permissions.editor), permissions.viewer.isDisjointFrom(new Set(['share']))],
  diff: diff(['a', 'b', 'c'], ['b', 'c', 'd', 'e']),
  firstRepeated, chained: [...chained], withMap: [...new Set([1, 2]).union(new Map([[5, 'five']]))],
});
