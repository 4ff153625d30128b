// expect: code=memory_limit
// timeout: 30000
'x'.padStart(2 ** 29, 'abc');
