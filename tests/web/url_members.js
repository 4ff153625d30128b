// What can be set on a URL, and what else it has.
const print = (...values) => console.log(values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' '));
const thrown = (action) => { try { action(); return 'nothing'; } catch (error) { return error.name; } };

for (const [part, value] of [
  ['protocol', 'http'], ['protocol', 'ftp:'], ['protocol', 'mailto'], ['username', 'ü ser'], ['password', 'p@ss'], ['host', 'other:9'], ['host', 'bad host'], ['hostname', 'h:1'],
  ['hostname', 'new'], ['port', '8080'], ['port', ''], ['port', '99999'], ['port', '12ab'], ['pathname', 'a b/../c'], ['pathname', ''], ['search', 'x=1 2'], ['search', '?'], ['search', ''],
  ['hash', 'é'], ['hash', '#'], ['hash', ''], ['href', 'http://whole.new/'],
]) {
  const url = new URL('https://u:p@h:81/p/q?s#f');
  url[part] = value;
  print(part, JSON.stringify(value), url.href);
}
print(thrown(() => { new URL('http://a/').href = 'no'; }), thrown(() => new URL()), thrown(() => URL('http://a')), thrown(() => new URL('x', 'y')), thrown(() => { 'use strict'; new URL('http://a').origin = 'x'; }));
const url = new URL('https://example.com/p?a=1');
print(String(url), JSON.stringify({ url }), url.toJSON(), Object.prototype.toString.call(url), url instanceof URL, Object.keys(url), `${url}`);
print(URL.canParse('x'), URL.canParse('x', 'http://a'), URL.parse('bad'), URL.parse('/p', 'http://h').href, new URL(url).href, new URL(new URL('/z', url)).href);
print(new URL('http://lone\ud800.com/'.replace('\ud800', '')).href, new URL('http://h/\ud800').pathname, new URL({ toString: () => 'http://obj/' }).host);

// A URL and its parameters change each other.
const both = new URL('http://h/?a=1&b=2&a=3');
const { searchParams } = both;
print(searchParams === both.searchParams, searchParams.getAll('a'));
searchParams.append('c d', 'é&=');
print(both.href, both.search);
searchParams.delete('a');
print(both.href);
both.search = '?x=y';
print([...searchParams], searchParams.toString());
both.href = 'http://h/?z';
print([...searchParams]);
searchParams.delete('z');
print(both.href, both.search === '');
both.hash = '#keep';
searchParams.set('q', '1');
print(both.href);
class Mine extends URL { get short() { return this.hostname; } }
print(new Mine('http://sub.example/').short);
print(Object.keys(URL.prototype).sort());
