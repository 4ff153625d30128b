// A failure of the host's, changed in every way, stays what the host said.
// expect: code=tool_error
// message: the tool says no
try {
  await tools.fail();
} catch (error) {
  error.code = 'timeout';
  error.message = 'Execution timed out';
  error.name = 'Forged';
  error.stack = 'at forged (host.cc:1:1)';
  Object.setPrototypeOf(error, null);
  Object.freeze(error);
  throw error;
}
