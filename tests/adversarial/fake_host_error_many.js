// More failures than the host remembers: the first of them, thrown at last, is at most a plain error.
// expect: code=runtime_error
// timeout: 10000
let first;
for (let i = 0; i < 17000; i++) {
  try {
    await tools.fail();
  } catch (error) {
    first ??= error;
  }
}
first.code = 'timeout';
throw first;
