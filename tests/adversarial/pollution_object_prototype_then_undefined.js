// As above, settling with what has no properties.
// expect: code=runtime_error
Object.prototype.then = function (resolve) {
  resolve(undefined);
};
1;
