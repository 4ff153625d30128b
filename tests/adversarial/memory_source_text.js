// Source text that needs more to be compiled than there is.
// expect: code=memory_limit
// timeout: 10000
eval('[' + '[],'.repeat(1 << 22) + ']');
