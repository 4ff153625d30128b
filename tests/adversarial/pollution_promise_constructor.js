// `constructor` of promises leads elsewhere: an await reads it.
// expect: code=runtime_error
// message: constructor
Object.defineProperty(Promise.prototype, 'constructor', {
  get() {
    throw new Error('constructor');
  },
});
await tools.echo(1);
