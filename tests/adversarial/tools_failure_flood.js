// expect: code=timeout
// timeout: 300
for (;;) {
  try {
    await tools.fail();
  } catch {
  }
}
