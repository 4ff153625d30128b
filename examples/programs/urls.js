// Build and take apart URLs.
function buildUrl(base, path, query = {}) {
  const url = new URL(path, base);
  for (const [key, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    if (Array.isArray(value)) value.forEach((item) => url.searchParams.append(key, item));
    else url.searchParams.set(key, value);
  }
  return url;
}

const search = buildUrl('https://api.example.com/v1/', 'items/search', { q: 'tea & cake', page: 2, tag: ['hot', 'größe'], empty: '', skip: null });
search.hash = 'top';
console.log(search.href);

const parsed = new URL('https://user:p%40ss@Example.COM:8443/a/./b/../c%20d?x=1&y=2&x=3#frag');
const { protocol, username, password, host, hostname, port, pathname, hash, origin } = parsed;

const params = new URLSearchParams('?a=1&b=two+words&c=%E2%9C%93');
params.append('d', 'x=y&z');
params.delete('a');
params.sort();
console.log(`${params}`, [...params.keys()].length, params.has('b'), params.getAll('d'));

const links = '<https://api.example.com/items?page=3>; rel="next", <https://api.example.com/items?page=9>; rel="last"';
const rels = Object.fromEntries([...links.matchAll(/<([^>]+)>;\s*rel="(\w+)"/g)].map(([, href, rel]) => [rel, Number(new URL(href).searchParams.get('page'))]));

({
  parts: { protocol, username, password, host, hostname, port, pathname, hash, origin },
  x: parsed.searchParams.getAll('x'),
  relative: ['../up', '/root', '?q', '#h', '//other.org/x', 'https://else.net'].map((path) => new URL(path, 'https://example.com/a/b/c?d#e').href),
  invalid: ['not a url', '/only/path', 'http://'].map((text) => URL.canParse(text)),
  fromObject: new URLSearchParams({ name: 'Ada Lovelace', lang: 'en' }).toString(),
  object: Object.fromEntries(params),
  rels,
  encoded: [encodeURIComponent('a/b?c=d&e=ü'), encodeURI('https://x.y/ü ?q=1'), decodeURIComponent('%F0%9F%98%80')],
});
