// expect: code=stack_overflow
// timeout: 5000
JSON.parse('{"a":'.repeat(1000000));
