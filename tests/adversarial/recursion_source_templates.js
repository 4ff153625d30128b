// expect: code=stack_overflow
// timeout: 5000
eval('`${'.repeat(200000) + '1' + '}`'.repeat(200000));
