// A resizable buffer that shrinks inside of a callback that walks it.
// expect: ok=[1000,0]
const buffer = new ArrayBuffer(8000, { maxByteLength: 16000 });
const numbers = new Float64Array(buffer);
let calls = 0;
numbers.forEach(() => {
  calls++;
  buffer.resize(0);
});
[calls, numbers.length];
