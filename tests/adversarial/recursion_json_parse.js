// expect: code=stack_overflow
// timeout: 5000
JSON.parse('['.repeat(5000000));
