// Buffers that are taken away while they are used.
// expect: ok=["TypeError",0,"undefined"]
const buffer = new ArrayBuffer(1024);
const view = new DataView(buffer);
const bytes = new Uint8Array(buffer);
let seen;
try {
  view.setUint8({ valueOf() { buffer.transfer(); return 0; } }, 1);
} catch (error) {
  seen = error.name;
}
bytes[0] = 1;
[seen, bytes.length, typeof bytes[0]];
