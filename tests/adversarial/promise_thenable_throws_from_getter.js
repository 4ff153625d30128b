// expect: code=runtime_error
// message: from then
({
  get then() {
    throw new Error('from then');
  },
});
