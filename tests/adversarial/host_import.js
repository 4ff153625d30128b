// Modules that nobody gave, by every kind of name.
// expect: ok=[]
const reached = [];
for (const name of ['fs', 'node:fs', 'std', 'os', 'qjs:std', 'qjs:os', 'quickjs:std', '/etc/passwd', '../../etc/passwd',
  'file:///etc/passwd', './../friend.js', 'https://example.org/x.js', 'data:text/javascript,export default 1', '', '.', '..',
  './', '\0', 'fs\0./friend.js', 'cordon:std', 'cordon:', 'friend.so', './friend.json']) {
  try {
    await import(name);
    reached.push(name);
  } catch (error) {
    if (!(error instanceof ReferenceError)) reached.push(name + ': ' + error);
  }
}
reached;
