// expect: code=memory_limit
// timeout: 5000
'x'.repeat(2 ** 29);
