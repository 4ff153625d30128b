// Every question about what was thrown throws something else.
// expect: code=runtime_error
const trap = () => {
  throw new Error('trap');
};
throw new Proxy(new Error('x'), { get: trap, has: trap, getOwnPropertyDescriptor: trap, getPrototypeOf: trap, ownKeys: trap });
