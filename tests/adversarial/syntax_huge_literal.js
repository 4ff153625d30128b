// expect: ok=300000
// timeout: 20000
// memory: 256MiB
eval('[' + '1,'.repeat(300000) + ']').length;
