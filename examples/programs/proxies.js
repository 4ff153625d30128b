// Proxies: defaults, validation, a log of accesses, negative indexes.
const withDefault = (make) => new Proxy({}, {
  get(target, key, receiver) {
    if (typeof key === 'string' && !(key in target)) target[key] = make(key);
    return Reflect.get(target, key, receiver);
  },
});

const words = 'the cat and the dog and the bird'.split(' ');
const counts = withDefault(() => 0);
const byLength = withDefault(() => []);
for (const word of words) {
  counts[word]++;
  byLength[word.length].push(word);
}

const accesses = [];
const observed = new Proxy({ user: { name: 'Ada' }, list: [3, 1, 2] }, {
  get(target, key, receiver) {
    const value = Reflect.get(target, key, receiver);
    accesses.push(`get ${String(key)}`);
    return typeof value === 'object' && value !== null ? new Proxy(value, this) : value;
  },
  has: (target, key) => !String(key).startsWith('_') && key in target,
  ownKeys: (target) => Reflect.ownKeys(target).filter((key) => key !== 'list'),
});
const greeting = `hello ${observed.user.name}, ${'list' in observed}, ${'_x' in observed}, ${Object.keys(observed)}`;

const validated = new Proxy({}, {
  set(target, key, value) {
    if (key === 'age' && !(Number.isInteger(value) && value >= 0)) throw new RangeError(`age: ${value}`);
    return Reflect.set(target, key, value);
  },
  deleteProperty() { return false; },
});
validated.age = 36;
const problems = [];
for (const action of [() => { validated.age = -1; }, () => { 'use strict'; delete validated.age; }]) {
  try { action(); } catch (error) { problems.push(error.name); }
}

const pythonic = (list) => new Proxy(list, { get: (target, key) => (/^-\d+$/.test(String(key)) ? target.at(Number(key)) : target[key]) });
const traced = new Proxy((a, b) => a + b, { apply: (target, self, args) => { accesses.push(`call(${args})`); return Reflect.apply(target, self, args); } });

const { proxy, revoke } = Proxy.revocable({ open: true }, {});
const before = proxy.open;
revoke();
try { proxy.open; } catch (error) { problems.push(error.name); }

console.log(greeting);
({ counts: { ...counts }, byLength: { ...byLength }, last: pythonic([1, 2, 3])[-1], sum: traced(2, 3), accesses, problems, before });
