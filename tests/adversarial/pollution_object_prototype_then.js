// Every object is a thenable now. The result is the guest's own to spoil, but it ends, as something.
// expect: ok=1
Object.prototype.then = function (resolve) {
  delete Object.prototype.then;
  resolve({ value: 1 });
};
({ value: 2 });
