// The same watcher, when the result itself is asked whether it is a promise.
// expect: code=runtime_error
// message: watched then
Object.setPrototypeOf(Array.prototype, new Proxy({}, { get(target, key) { throw new Error('watched ' + key); } }));
[1];
