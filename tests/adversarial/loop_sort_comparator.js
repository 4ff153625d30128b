// expect: code=timeout
// timeout: 150
[3, 2, 1].sort(() => {
  for (;;) {}
});
