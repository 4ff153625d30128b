// expect: code=timeout
// timeout: 150
Error.prepareStackTrace = () => {
  for (;;) {}
};
throw new Error('x');
