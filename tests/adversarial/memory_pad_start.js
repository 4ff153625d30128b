// expect: code=memory_limit
// timeout: 5000
'x'.padStart(2 ** 29, 'abc');
