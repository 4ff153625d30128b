// expect: code=memory_limit
// timeout: 30000
'x'.repeat(2 ** 29);
