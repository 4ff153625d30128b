// An error whose message and name throw: it is a line all the same, and the program goes on.
// expect: ok="done"
const error = new Error('hidden');
for (const key of ['message', 'name', 'cause']) {
  Object.defineProperty(error, key, { get() { throw 0; } });
}
console.log(error);
console.error('failed', error, [error]);
('done');
