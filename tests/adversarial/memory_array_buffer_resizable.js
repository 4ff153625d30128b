// A buffer that reserves its maximum, or grows to it.
// expect: code=memory_limit
// timeout: 30000
const buffer = new ArrayBuffer(8, { maxByteLength: 2 ** 30 });
buffer.resize(2 ** 30);
