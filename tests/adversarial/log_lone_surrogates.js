// expect: ok=["\ud800","\udc00\ud800"]
console.log('\ud800', '\udc00\ud800', { '\udfff': '\ud83d' });
await tools.echo(['\ud800', '\udc00\ud800']);
