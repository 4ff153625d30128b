// Spreading an iterator without end: it ends at the memory or at the time, whatever is first met.
// expect: code=memory_limit
// memory: 8MiB
// timeout: 30000
[...{ [Symbol.iterator]: () => ({ next: () => ({ done: false, value: 1 }) }) }];
