// An async iterator whose return never settles: the loop cannot be left, and nothing can settle it.
// expect: code=runtime_error
// message: the program waits for a promise that nothing will settle
// runner: code=timeout
// timeout: 500
const stuck = {
  [Symbol.asyncIterator]: () => ({
    next: async () => ({ done: false, value: 1 }),
    return: () => new Promise(() => {}),
  }),
};
for await (const value of stuck) break;
