// A hook for stacks that lies, throws, and never ends, when the shim makes an error.
// expect: code=tool_error
// message: the tool says no
Error.prepareStackTrace = () => {
  throw new Error('prepared');
};
await tools.fail();
