// expect: code=timeout
// timeout: 150
/(?<=^x(a+)+)b/.test('a'.repeat(50) + 'b');
