// Text that grows on its way through JSON: each character becomes six.
// expect: code=memory_limit
// timeout: 30000
// memory: 16MiB
JSON.stringify('\u0001'.repeat(1 << 22));
