// expect: code=timeout
// timeout: 150
'x'.repeat(1000).replace(/x/g, () => {
  for (;;) {}
});
