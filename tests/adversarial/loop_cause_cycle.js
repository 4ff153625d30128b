// expect: code=runtime_error
// message: round
const error = new Error('round');
error.cause = error;
throw error;
