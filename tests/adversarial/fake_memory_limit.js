// expect: code=runtime_error
// message: out of memory
throw Object.assign(new RangeError('out of memory'), { code: 'memory_limit' });
