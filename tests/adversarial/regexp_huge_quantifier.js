// A program of nested counts, each of which multiplies the others.
// expect: code=timeout
// timeout: 200
/((((a{0,1000}){0,1000}){0,1000}){0,1000}){0,1000}b/.test('a'.repeat(1000));
