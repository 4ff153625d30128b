// A finally that discards the completion by which a loop would be left.
// expect: code=timeout
// timeout: 150
outer: for (;;) {
  try {
    break outer;
  } finally {
    continue outer;
  }
}
