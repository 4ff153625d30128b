// The same after an await: no stack is used, memory is.
// expect: code=memory_limit
// timeout: 10000
const f = async () => {
  await null;
  return await f();
};
await f();
