// expect: code=timeout
// timeout: 150
/^(?=(a+)+$)(a+)+$/.test('a'.repeat(50) + 'b');
