// expect: code=memory_limit
// memory: 8MiB
// timeout: 10000
await Promise.all({ [Symbol.iterator]: () => ({ next: () => ({ done: false, value: 1 }) }) });
