// expect: code=runtime_error
throw Object.assign(new Error('wasm trap: out of bounds memory access'), { code: 'internal_error' });
