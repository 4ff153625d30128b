// expect: code=runtime_error
try {
  await tools.refuse();
} catch (error) {
  throw Object.setPrototypeOf(new Error('heir'), error);
}
