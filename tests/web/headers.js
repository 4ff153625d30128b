// Headers.
const print = (...values) => console.log(values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' '));
const thrown = (action) => { try { action(); return 'nothing'; } catch (error) { return error.name; } };

const headers = new Headers({ 'Content-Type': 'text/plain', accept: ' a \t', 'X-Number': 5 });
headers.append('Accept', 'b');
headers.append('set-cookie', 'one=1');
headers.append('Set-Cookie', 'two=2');
print([...headers], headers.get('ACCEPT'), headers.get('set-cookie'), headers.getSetCookie(), headers.get('none'));
print([...headers.keys()], [...headers.values()], headers.has('x-number'), headers.has('x'));
headers.set('accept', 'c');
headers.delete('content-type');
headers.delete('not-there');
headers.set('set-cookie', 'three=3');
print([...headers.entries()]);
const seen = [];
headers.forEach(function (value, name, all) { seen.push([name, value, all === headers, this.tag]); }, { tag: 't' });
print(seen);
print([...new Headers([['b', '1'], ['a', '2'], ['B', '3']])], [...new Headers(new Headers({ q: 'x' }))], [...new Headers(new Map([['m', 'n']]))], [...new Headers()]);
for (const wrong of [[['a']], [['a', 'b', 'c']], 'text', 5, null, { 'in valid': 'x' }, { '': 'x' }, { a: 'x\ny' }, { a: '\u20ac' }, { a: 'nul\0' }, [5]]) print(thrown(() => new Headers(wrong)));
print(thrown(() => new Headers().append('a')), thrown(() => new Headers().get('é')), thrown(() => Headers()), new Headers({ a: ' \r\n x \n' }).get('a'), new Headers({ a: 'é' }).get('a'));
print(Object.prototype.toString.call(headers), Object.prototype.toString.call(headers.entries()), headers[Symbol.iterator] === headers.entries);
// Changes while it is walked through are seen.
const live = new Headers({ a: '1', c: '3' });
const walked = [];
for (const [name] of live) { walked.push(name); if (name === 'a') live.append('b', '2'); }
print(walked);
print(Object.fromEntries(new Headers({ Z: '1', y: '2' })));
