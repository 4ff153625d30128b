// TextEncoder, TextDecoder, atob and btoa.
const print = (...values) => console.log(values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' '));
const thrown = (action) => { try { return JSON.stringify(action()); } catch (error) { return error.name; } };
const bytes = (...list) => new Uint8Array(list);
const list = (array) => [...array].join(',');
const codes = (text) => [...Array(text.length).keys()].map((i) => text.charCodeAt(i).toString(16)).join(' ');

const encoder = new TextEncoder();
for (const text of ['', 'abc', 'é', '€', '😀', 'a\u0000b', '\ud800', 'x\udc00y', '\ud83d\ude00\ud83d', 'é'.repeat(3) + '😀']) print(list(encoder.encode(text)));
print(encoder.encoding, list(encoder.encode()), list(encoder.encode(undefined)), list(encoder.encode(12)), Object.prototype.toString.call(encoder));
for (const [text, room] of [['abc', 2], ['é€😀', 1], ['é€😀', 2], ['é€😀', 4], ['é€😀', 5], ['é€😀', 8], ['é€😀', 9], ['\ud800a', 3], ['\ud800a', 4]]) {
  const to = new Uint8Array(room);
  print(encoder.encodeInto(text, to), list(to));
}
print(thrown(() => encoder.encodeInto('a', new Uint16Array(1))), thrown(() => TextEncoder()));

const decoder = new TextDecoder();
print(decoder.encoding, decoder.fatal, decoder.ignoreBOM, decoder.decode(), decoder.decode(undefined));
// Malformed UTF-8: one U+FFFD for each maximal part.
for (const wrong of [
  [0xff], [0xc0, 0x80], [0xc1, 0xbf], [0xe0, 0x80, 0x80], [0xe0, 0xa0], [0xed, 0xa0, 0x80], [0xf0, 0x80, 0x80, 0x80], [0xf0, 0x90, 0x80],
  [0xf4, 0x90, 0x80, 0x80], [0xf5, 0x80], [0x80], [0xe2, 0x82], [0xe2, 0x82, 0x41], [0xf0, 0x9f, 0x98, 0x41], [0xc3, 0xc3, 0xa9],
  [0x41, 0xc3], [0xf0, 0x9f, 0x41, 0x98], [0xef, 0xbf, 0xbe], [0xfe, 0xff], [0x61, 0xe1, 0x80, 0xe2, 0xf0, 0x91, 0x92, 0xf1, 0xbf, 0x41],
]) print(codes(decoder.decode(bytes(...wrong))), thrown(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes(...wrong))));

// Byte order marks.
const bom = bytes(0xef, 0xbb, 0xbf, 0x61);
print(codes(new TextDecoder().decode(bom)), codes(new TextDecoder('utf8', { ignoreBOM: true }).decode(bom)));
print(codes(new TextDecoder().decode(bytes(0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf))));

// Streaming, wherever it is cut.
const whole = encoder.encode('a€😀é');
for (let cut = 0; cut <= whole.length; cut++) {
  const streaming = new TextDecoder();
  const parts = [streaming.decode(whole.subarray(0, cut), { stream: true }), streaming.decode(whole.subarray(cut), { stream: true }), streaming.decode()];
  print(parts.map((part) => codes(part)).join(' | '));
}
const cutOff = new TextDecoder();
print(codes(cutOff.decode(bytes(0xe2, 0x82), { stream: true })), codes(cutOff.decode()), codes(cutOff.decode(bytes(0x41))));
const halfMark = new TextDecoder();
print(codes(halfMark.decode(bytes(0xef), { stream: true }) + halfMark.decode(bytes(0xbb, 0xbf, 0x61), { stream: true }) + halfMark.decode(bytes(0xef, 0xbb, 0xbf))));

// What may be decoded.
const buffer = bytes(1, 0x61, 0x62, 0x63).buffer;
print(decoder.decode(buffer.slice(1)), decoder.decode(new DataView(buffer, 1, 2)), decoder.decode(new Uint8Array(buffer, 2)), decoder.decode(new Uint16Array(bytes(0x61, 0x62).buffer)));
for (const wrong of ['text', 1, null, {}, []]) print(thrown(() => decoder.decode(wrong)));

// Labels.
for (const label of ['UTF-8', ' utf8\n', 'unicode-1-1-utf-8', 'latin1', 'ascii', 'iso-8859-1', 'windows-1252', 'utf-16', 'utf-16le', 'UTF-16BE', 'ucs-2']) print(label.trim(), new TextDecoder(label).encoding);
for (const label of ['utf-7', 'nothing', '', 'utf-32']) print(thrown(() => new TextDecoder(label)));
print(codes(new TextDecoder('utf-16le').decode(bytes(0x61, 0, 0x3d, 0xd8, 0, 0xde))), codes(new TextDecoder('utf-16le').decode(bytes(0, 0xd8, 0x61, 0))));
print(codes(new TextDecoder('utf-16le').decode(bytes(0x61, 0, 0x62))), codes(new TextDecoder('utf-16le').decode(bytes(0xff, 0xfe, 0x61, 0))));
print(thrown(() => new TextDecoder('utf-16le', { fatal: true }).decode(bytes(0x61))), codes(new TextDecoder('utf-16be').decode(bytes(0, 0x61))));
const wide = new TextDecoder('utf-16le');
print(codes(wide.decode(bytes(0x3d), { stream: true })), codes(wide.decode(bytes(0xd8, 0), { stream: true })), codes(wide.decode(bytes(0xde))));
print(codes(new TextDecoder('windows-1252').decode(bytes(0x41, 0x80, 0x81, 0x9f, 0xe9))));

for (const text of ['', 'a', 'ab', 'abc', 'é', 'a\u0000b', '\u00ff']) print(btoa(text), codes(atob(btoa(text))));
print(thrown(() => btoa('€')), thrown(() => atob('a')), thrown(() => atob('ab=c')), thrown(() => atob('*')), codes(atob(' Y Q = = \n')), codes(atob('YQ')), thrown(() => btoa()));
