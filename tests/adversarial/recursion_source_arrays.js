// expect: code=stack_overflow
// timeout: 5000
eval('['.repeat(1000000));
