// A replacer that puts something new in place of everything: stringify goes down without end.
// expect: code=stack_overflow
// timeout: 10000
JSON.stringify({}, (key, value) => ({ again: 1 }));
