// Array.from over an iterator that never says done, and gives nothing that needs memory.
// expect: code=timeout
// timeout: 150
new Set({ [Symbol.iterator]: () => ({ next: () => ({ done: false, value: 1 }) }) });
