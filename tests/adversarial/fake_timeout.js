// expect: code=runtime_error
// message: Execution timed out
const error = new Error('Execution timed out');
error.code = 'timeout';
error.name = 'TimeoutError';
throw error;
