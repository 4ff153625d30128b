// Exponential backtracking.
// expect: code=timeout
// timeout: 150
/^(a+)+$/.test('a'.repeat(50) + 'b');
