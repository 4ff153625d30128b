// expect: code=timeout
// timeout: 150
class Endless {
  static {
    for (;;) {}
  }
}
