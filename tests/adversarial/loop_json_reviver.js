// expect: code=timeout
// timeout: 150
JSON.parse('[1]', () => {
  for (;;) {}
});
