// A match that needs a level for each character.
// expect: ok=true
// timeout: 5000
/^(?:a|b|c)*$/.test('abc'.repeat(100000));
