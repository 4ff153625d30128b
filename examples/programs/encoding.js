// Bytes, base64, hexadecimal, UTF-8.
const encoder = new TextEncoder();
const decoder = new TextDecoder();

const toBase64 = (text) => btoa(String.fromCharCode(...encoder.encode(text)));
const fromBase64 = (base64) => decoder.decode(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
const toHex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
const base64Url = (text) => toBase64(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');

const text = 'Grüße, 世界 👋🏽!';
const bytes = encoder.encode(text);
console.log(text.length, 'code units,', [...text].length, 'code points,', bytes.length, 'bytes');
console.log(toHex(bytes.slice(0, 8)));

const view = new DataView(new ArrayBuffer(16));
view.setUint32(0, 0xdeadbeef);
view.setFloat64(4, Math.PI, true);
view.setInt16(12, -2);

const damaged = new Uint8Array([0x61, 0xff, 0x62]);
let fatal;
try { new TextDecoder('utf-8', { fatal: true }).decode(damaged); } catch (error) { fatal = error.name; }

const checksum = bytes.reduce((crc, byte) => {
  crc ^= byte;
  for (let i = 0; i < 8; i++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
}, 0xffffffff);

({
  base64: toBase64(text),
  url: base64Url('???>>>'),
  back: fromBase64(toBase64(text)) === text,
  basicAuth: `Basic ${btoa('user:pässword')}`,
  view: toHex(new Uint8Array(view.buffer)),
  little: new DataView(view.buffer).getFloat64(4, true),
  damaged: decoder.decode(damaged),
  fatal,
  crc32: ((checksum ^ 0xffffffff) >>> 0).toString(16),
  into: encoder.encodeInto('héllo', new Uint8Array(3)),
  clamped: [...new Uint8ClampedArray([300, -5, 1.5])],
  surrogates: ['\ud83d'.isWellFormed(), 'a\ud83d'.toWellFormed(), '👋'.codePointAt(0), String.fromCodePoint(0x1f600)],
});
