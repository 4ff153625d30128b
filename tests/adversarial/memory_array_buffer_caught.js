// A size that the allocator refuses by itself, before anyone asks the host for room, and a program that catches it.
// expect: code=memory_limit
// timeout: 30000
try {
  new ArrayBuffer(2 ** 31 - 1);
} catch {
}
'survived';
