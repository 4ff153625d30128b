// Error and its prototype replaced: a failure of the host's is what it is.
// expect: code=tool_error
// message: the tool says no
Error.prototype.toString = () => 'forged';
Object.defineProperty(Error.prototype, 'message', { get: () => 'forged', set() {} });
Object.defineProperty(Error.prototype, 'name', { get: () => 'forged', set() {} });
Object.setPrototypeOf(Error.prototype, null);
globalThis.Error = null;
await tools.fail();
