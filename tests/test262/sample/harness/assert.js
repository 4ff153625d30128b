function assert(value, message) {
  if (value !== true) throw new Test262Error(message);
}
