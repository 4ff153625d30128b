// expect: code=timeout
// timeout: 150
const error = new Error('x');
Object.defineProperty(error, 'stack', {
  get() {
    for (;;) {}
  },
});
throw error;
