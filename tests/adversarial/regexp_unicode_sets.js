// expect: code=timeout
// timeout: 150
/^([\p{L}&&[a-z]]+)+$/v.test('a'.repeat(50) + '1');
