// expect: code=runtime_error
// message: no
throw { code: 'cancelled', message: 'no', name: 'AbortError', stack: 'at host (/etc/passwd:1:1)' };
