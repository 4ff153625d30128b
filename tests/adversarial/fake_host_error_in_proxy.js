// expect: code=runtime_error
try {
  await tools.refuse();
} catch (error) {
  throw new Proxy(error, { get: (target, key) => (key === 'message' ? 'wrapped' : target[key]) });
}
