// URL, over a table of inputs like those of WPT.
const print = (...values) => console.log(values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' '));
const thrown = (action) => { try { action(); return 'nothing'; } catch (error) { return `${error.name} ${error.code ?? ''}`; } };

const parts = ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash'];
const table = [
  ['http://example.com'], ['HTTP://EXAMPLE.com:80/'], ['https://user:pa%20ss@example.com:8443/a/../b/./c?q#h'], ['http://a b/'], [''], ['nothing'],
  ['//host/p', 'https://base/x'], ['/abs', 'https://base/x/y'], ['rel', 'https://base/x/y'], ['../up', 'https://base/x/y/z'], ['?q=1', 'https://base/x?old'],
  ['#f', 'https://base/x?old#old'], ['', 'https://base/x?q#f'], ['mailto:someone@example.com'], ['data:text/plain,Hello%20World#x'], ['file:///C:/x/../y'], ['file://host/p'],
  ['javascript:alert(1)'], ['blob:https://example.com/uuid'], ['http://[::1]:3000/'], ['http://[1:2::3.4.5.6]/'], ['http://0x7f.1/'], ['http://256.1.1.1/'], ['http://1.2.3/'],
  ['http://例え.jp/パス?クエリ#片'], ['http://faß.example/'], ['http://xn--/'], ['http://a%00b/'], ['http://ex%41mple.com/'], ['  http://trim.me/  '], ['ht\ntp://tab\t.com/\n'],
  ['http://h/%zz%20 %C3%A9é'], ['http://h/?a=b c&é=ü"<>'], ["http://h/?'"], ['ws://h:80/'], ['wss://h:443/x'], ['ftp://h:21/'], ['http://h:99999/'], ['http://h:0/'], ['http://h:/'],
  ['http:\\\\h\\p'], ['http:/h'], ['http:h'], ['http://user@/x'], ['http://@h/'], ['http://u:@h/'], ['a:b/../c'], ['a://h/../c'], ['non-special://h:80/p?q#f'], ['urn:isbn:123'],
  ['http://h/a/%2e%2e/b'], ['http://h/..//./x'], ['http://h/a;b=c'], ['https://h?x'], ['https://h#x'], ['http://1e9/'], ['http://a.b-.c/'], ['http://-h/'], ['http://h./'], ['http://h..x/'],
];
for (const [input, base] of table) {
  try {
    const url = new URL(input, base);
    print(JSON.stringify(input), parts.map((part) => url[part]).join(' | '));
  } catch (error) {
    print(JSON.stringify(input), error.name, error.code, URL.canParse(input, base));
  }
}
