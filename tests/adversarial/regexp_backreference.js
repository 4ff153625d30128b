// expect: code=timeout
// timeout: 150
/^(a*)*\1$/.test('a'.repeat(60) + 'b');
