// A loop that swallows whatever an interrupt might throw, and has a finally that goes on.
// expect: code=timeout
// timeout: 150
// log: before
console.log('before');
for (;;) {
  try {
    for (;;) {}
  } catch {
    console.log('caught');
  } finally {
    for (;;) {}
  }
}
