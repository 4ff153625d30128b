// URLSearchParams.
const print = (...values) => console.log(values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' '));
const thrown = (action) => { try { action(); return 'nothing'; } catch (error) { return error.name; } };

for (const init of [
  '', '?', 'a', 'a=', '=b', '=', '&', '&&a=1&&', 'a=b=c', '?a=1', '??a=1', 'a+b=c+d', 'a%20b=%C3%A9', 'a=%zz%2', 'a=%E2%82', 'a=%FF', 'a=\u20ac', 'a=%00', 'a=b;c=d', 'a=\ud800',
  undefined, null, 5, {}, { a: 1, b: [1, 2], c: undefined }, [], [['a', 'b'], ['a', 'c']], new Map([['m', 'n']]), new URLSearchParams('x=y&x=z'), new Set([['s', 't']]),
]) print(String(new URLSearchParams(init)), [...new URLSearchParams(init)]);
for (const wrong of [[['a']], [['a', 'b', 'c']], [1], { [Symbol.iterator]: 1 }]) print(thrown(() => new URLSearchParams(wrong)));

const params = new URLSearchParams('b=2&a=1&b=3&\u{1F600}=x&\uFFFD=y&a=0');
print(params.get('b'), params.getAll('b'), params.get('none'), params.has('a'), params.has('a', '0'), params.has('a', '9'), params.size);
params.sort();
print(params.toString());
params.set('b', 'only');
params.append('z', ' !\'()*~-._');
print(params.toString());
params.delete('a', '0');
print(params.toString(), params.size);
params.delete('a');
const seen = [];
params.forEach(function (value, key, all) { seen.push([key, value, all === params, this.t]); }, { t: 1 });
print(seen);
print([...params.keys()], [...params.values()], [...params.entries()].length, params[Symbol.iterator] === params.entries);
print(Object.prototype.toString.call(params), Object.prototype.toString.call(params.keys()), typeof params.keys().next);
const live = new URLSearchParams('a=1&b=2&c=3');
const walked = [];
for (const [key] of live) { walked.push(key); live.delete(key); }
print(walked, live.toString());
print(thrown(() => params.append('a')), thrown(() => params.get()), thrown(() => URLSearchParams()), thrown(() => params.append(Symbol(), 1)));
print(Object.fromEntries(new URLSearchParams('q=a+b&n=1')), new URLSearchParams({ q: 'x y', n: 1 }).toString());
print(Object.keys(URLSearchParams.prototype).sort());
