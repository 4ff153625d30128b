// A copy of a failure with everything that a program can see of it is not the failure.
// expect: code=runtime_error
try {
  await tools.fail();
} catch (error) {
  const copy = Object.create(Object.getPrototypeOf(error), Object.getOwnPropertyDescriptors(error));
  copy.code = 'timeout';
  for (const symbol of Object.getOwnPropertySymbols(error)) copy[symbol] = error[symbol];
  throw copy;
}
