// JSON with replacers and revivers: dates, maps, sets and big numbers there and back.
const replacer = function (key, value) {
  const original = this[key];
  if (original instanceof Date) return { $type: 'Date', value: original.toISOString() };
  if (value instanceof Map) return { $type: 'Map', value: [...value] };
  if (value instanceof Set) return { $type: 'Set', value: [...value] };
  if (typeof value === 'bigint') return { $type: 'BigInt', value: value.toString() };
  if (value !== value) return { $type: 'NaN' };
  return value;
};
const reviver = (key, value) => {
  switch (value?.$type) {
    case 'Date': return new Date(value.value);
    case 'Map': return new Map(value.value);
    case 'Set': return new Set(value.value);
    case 'BigInt': return BigInt(value.value);
    case 'NaN': return NaN;
    default: return value;
  }
};

const state = {
  createdAt: new Date(Date.UTC(2026, 2, 4)),
  scores: new Map([['ada', 10], ['grace', new Set([1, 2])]]),
  id: 2n ** 64n,
  missing: NaN,
  skipped: undefined,
  method() {},
  nested: { text: 'quote " backslash \\ tab \t snowman ☃ \u2028', list: [undefined, () => {}, Symbol('s'), null] },
};

const text = JSON.stringify(state, replacer);
const back = JSON.parse(text, reviver);
console.log(text);
console.log(JSON.stringify({ b: [1, { c: {} }], a: [] }, null, 2));

const user = { name: 'Ada', password: 'secret', profile: { password: 'x', city: 'London' } };
const safe = JSON.stringify(user, (key, value) => (key === 'password' ? undefined : value));
const picked = JSON.stringify(user, ['name', 'profile', 'city'], '\t');

let circular;
const loop = { name: 'loop' };
loop.self = loop;
try { JSON.stringify(loop); } catch (error) { circular = error instanceof TypeError; }

({
  same: JSON.stringify(back, replacer) === text,
  kinds: [back.createdAt.getTime(), back.scores.get('grace').has(2), typeof back.id, Number.isNaN(back.missing), 'skipped' in back],
  safe, picked, circular,
  numbers: JSON.stringify([1e21, -0, 0.1, Infinity, 5e-324, 123456789012345680000]),
  invalid: ['{a: 1}', "{'a': 1}", '[1,]', '01', 'undefined', ''].map((source) => { try { JSON.parse(source); return 'ok'; } catch (error) { return error.name; } }),
});
