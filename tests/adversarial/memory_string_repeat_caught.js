// A refused growth cannot be caught.
// expect: code=memory_limit
// timeout: 30000
// log: trying
console.log('trying');
try {
  'x'.repeat(2 ** 29);
} catch {
  console.log('caught');
} finally {
  console.log('finally');
}
'survived';
