// A chain of causes without end: each getter makes the next one.
// expect: code=runtime_error
// message: top
function next() {
  const error = new Error('deeper');
  Object.defineProperty(error, 'cause', { get: next });
  return error;
}
throw Object.defineProperty(new Error('top'), 'cause', { get: next });
