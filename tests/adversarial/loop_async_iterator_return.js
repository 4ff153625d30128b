// An async iterator whose return never settles: the loop cannot be left.
// expect: code=timeout
// timeout: 150
const stuck = {
  [Symbol.asyncIterator]: () => ({
    next: async () => ({ done: false, value: 1 }),
    return: () => new Promise(() => {}),
  }),
};
for await (const value of stuck) break;
