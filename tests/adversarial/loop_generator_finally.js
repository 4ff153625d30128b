// A generator that is closed and goes on in its finally.
// expect: code=timeout
// timeout: 150
function* endless() {
  try {
    yield 1;
  } finally {
    for (;;) {}
  }
}
for (const value of endless()) break;
