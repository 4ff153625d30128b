// A small schema validator, in the style of a library that cannot be imported.
const fail = (path, message) => ({ path: path.join('.') || '(root)', message });
const schema = (check) => ({
  check,
  optional() { return schema((value, path) => (value === undefined ? [] : check(value, path))); },
  refine(test, message) {
    return schema((value, path) => { const issues = check(value, path); return issues.length || test(value) ? issues : [fail(path, message)]; });
  },
  parse(value) {
    const issues = check(value, []);
    if (issues.length) throw Object.assign(new TypeError(`${issues.length} problem${issues.length > 1 ? 's' : ''}`), { issues });
    return value;
  },
  safeParse(value) { try { return { success: true, data: this.parse(value) }; } catch (error) { return { success: false, issues: error.issues }; } },
});
const typed = (type) => schema((value, path) => (typeof value === type ? [] : [fail(path, `expected ${type}, got ${value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value}`)]));

const z = {
  string: () => typed('string'),
  number: () => typed('number').refine(Number.isFinite, 'must be finite'),
  boolean: () => typed('boolean'),
  enum: (...values) => schema((value, path) => (values.includes(value) ? [] : [fail(path, `expected one of ${values.join(', ')}`)])),
  array: (item) => schema((value, path) => (Array.isArray(value) ? value.flatMap((entry, i) => item.check(entry, [...path, i])) : [fail(path, 'expected an array')])),
  object: (shape) => schema((value, path) => {
    if (typeof value !== 'object' || value === null) return [fail(path, 'expected an object')];
    const unknown = Object.keys(value).filter((key) => !(key in shape)).map((key) => fail([...path, key], 'unknown key'));
    return [...Object.entries(shape).flatMap(([key, member]) => member.check(value[key], [...path, key])), ...unknown];
  }),
};

const product = z.object({
  sku: z.string().refine((text) => /^[A-Z]-\d+$/.test(text), 'must look like A-1'),
  name: z.string(),
  price: z.number().refine((n) => n > 0, 'must be positive'),
  stock: z.number(),
  tags: z.array(z.enum('drink', 'hot', 'cold', 'strong', 'food')),
  note: z.string().optional(),
});

const products = z.array(product).parse(await db.query({ table: 'products' }));
const bad = product.safeParse({ sku: 'x', name: null, price: -1, stock: NaN, tags: ['hot', 'new'], extra: true });
console.log(`${products.length} valid products`);
for (const { path, message } of bad.issues) console.warn(`${path}: ${message}`);
({ first: product.safeParse(products[0]).success, issues: bad.issues.length, root: z.array(z.string()).safeParse('x').issues });
