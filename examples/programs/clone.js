// Copies that are deep: structuredClone, and what a spread does not copy.
const original = {
  title: 'Plan',
  due: new Date('2026-03-04T12:00:00Z'),
  tags: new Set(['a', 'b']),
  owners: new Map([['ada', { role: 'lead' }]]),
  bytes: new Uint8Array([1, 2, 3]),
  pattern: /a+/gi,
  nested: { list: [{ n: 1 }, { n: 2 }] },
};
original.self = original;

const shallow = { ...original };
const deep = structuredClone(original);
original.nested.list[0].n = 100;
original.owners.get('ada').role = 'guest';
original.due.setUTCFullYear(1999);
original.bytes[0] = 255;

const errors = [];
for (const value of [() => {}, Symbol('x'), { method() {} }]) {
  try {
    structuredClone(value);
  } catch (error) {
    errors.push(error.name);
  }
}

class Point { constructor(x, y) { this.x = x; this.y = y; } get length() { return Math.hypot(this.x, this.y); } }
const point = structuredClone(new Point(3, 4));
const error = structuredClone(new TypeError('wrong', { cause: 'a reason' }));

console.log(deep.due, deep.tags, deep.owners, deep.pattern);
({
  shallow: shallow.nested.list[0].n,
  deep: deep.nested.list[0].n,
  role: deep.owners.get('ada').role,
  year: deep.due.getUTCFullYear(),
  bytes: [...deep.bytes],
  self: deep.self === deep && deep.self !== original,
  pattern: [deep.pattern.source, deep.pattern.flags],
  errors,
  point: [point.x, point.y, point instanceof Point, point.length === undefined],
  error: [error instanceof TypeError, error.message, error.cause],
});
