// expect: code=timeout
// timeout: 150
Object.prototype.then = function () {};
1;
