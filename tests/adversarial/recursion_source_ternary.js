// expect: code=stack_overflow
// timeout: 5000
eval('1?'.repeat(300000) + '1' + ':1'.repeat(300000));
