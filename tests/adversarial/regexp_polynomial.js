// Cubic in a long text: no single step is slow.
// expect: code=timeout
// timeout: 200
/\s+\s+\s+$/.test(' '.repeat(100000) + 'x');
