// TextDecoder's legacy encodings. (encodings.out is what the standard says, as the crate encoding_rs has it: Node's ICU
// decodes some of these otherwise.)
const lines = [];
const print = (...values) => lines.push(values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' ').trim());
const codes = (text) => [...Array(text.length).keys()].map((i) => text.charCodeAt(i).toString(16)).join(' ');
const bytes = (text) => Uint8Array.from(text.split(' '), (byte) => parseInt(byte, 16));
const thrown = (action) => { try { return action(); } catch (error) { return error.name; } };
const hash = async (text) => new Uint8Array(await crypto.subtle.digest('SHA-1', new TextEncoder().encode(text))).toHex().slice(0, 16);

// Every byte, alone; every pair of bytes with a letter behind it.
const all = Uint8Array.from({ length: 256 }, (_, i) => i);
const pairs = Uint8Array.from({ length: 128 * 256 * 3 }, (_, i) => [0x80 + Math.trunc(i / 768), Math.trunc(i / 3) % 256, 0x41][i % 3]);
for (const label of [
  'ibm866', 'iso-8859-2', 'iso-8859-3', 'iso-8859-4', 'iso-8859-5', 'iso-8859-6', 'iso-8859-7', 'iso-8859-8', 'iso-8859-8-i', 'iso-8859-10', 'iso-8859-13', 'iso-8859-14',
  'iso-8859-15', 'iso-8859-16', 'koi8-r', 'koi8-u', 'macintosh', 'windows-874', 'windows-1250', 'windows-1251', 'windows-1252', 'windows-1253', 'windows-1254', 'windows-1255',
  'windows-1256', 'windows-1257', 'windows-1258', 'x-mac-cyrillic', 'x-user-defined',
]) print(label, await hash(new TextDecoder(label).decode(all)), thrown(() => new TextDecoder(label, { fatal: true }).decode(all).length));
for (const label of ['gbk', 'gb18030', 'big5', 'euc-jp', 'shift_jis', 'euc-kr']) print(label, await hash(new TextDecoder(label).decode(pairs)));

// Labels: blanks around them and capitals; names in lower case; what is no label.
for (const label of ['GB2312', ' Shift-JIS\n', 'ks_c_5601-1987', 'cp1251', 'Big5-HKSCS', 'x-mac-roman', 'csISO2022JP', 'logical', 'L9', 'cp866', 'x-mac-ukrainian']) print(label.trim(), new TextDecoder(label).encoding);
for (const label of ['replacement', 'iso-2022-kr', 'hz-gb-2312', 'utf-7', 'utf-32', 'oem', '\u00a0big5', 'big5\u0000', '\u212aoi8-r', 'x'.repeat(100), 'index big5']) print(label.slice(0, 12), thrown(() => new TextDecoder(label).encoding));

// Malformed sequences: what is one error, and which bytes are read again.
for (const [label, text] of [
  ['gb18030', '81'], ['gb18030', '81 30'], ['gb18030', '81 30 81'], ['gb18030', '81 30 81 30'], ['gb18030', '81 30 41 42'], ['gb18030', '81 30 81 41'], ['gb18030', '84 31 a4 37'],
  ['gb18030', '84 31 a4 39 84 31 a5 30'], ['gb18030', 'e3 32 9a 35 e3 32 9a 36'], ['gb18030', '90 30 81 30'], ['gb18030', 'fe 39 fe 39'], ['gb18030', '80 ff 81 7f 41'], ['gb18030', 'a2 e3 a6 d9'],
  ['big5', '88 62 88 64 88 a3 88 a5'], ['big5', '87 40 41'], ['big5', '80 ff'], ['big5', '81 41 42'], ['big5', 'a1'], ['big5', '87 45 fe fe'],
  ['euc-jp', '8e a1 8e df 8e e0 41'], ['euc-jp', '8f a2 af 8f a1 a1 41'], ['euc-jp', '8f a2'], ['euc-jp', '8f a2 41'], ['euc-jp', '8f 41'], ['euc-jp', 'a4 a2 80 a0 ff'],
  ['shift_jis', '80 a0 a1 df fd'], ['shift_jis', '82 a0 81 7f 82'], ['shift_jis', 'f0 40 f9 fc fa 40'], ['shift_jis', '81 20 41'],
  ['euc-kr', 'b0 a1 81 5b 41 c8 fe'], ['euc-kr', '80 ff fe fe'],
  ['iso-2022-jp', '41 1b 24 42 24 22 1b 28 42 42'], ['iso-2022-jp', '1b 28 4a 5c 7e 1b 28 49 21 5f 60'], ['iso-2022-jp', '1b 28 42 1b 28 42 41'], ['iso-2022-jp', '1b 24 40 30'], ['iso-2022-jp', '1b 24 40 30 1b 28 42'],
  ['iso-2022-jp', '1b'], ['iso-2022-jp', '1b 24'], ['iso-2022-jp', '1b 28 58'], ['iso-2022-jp', '0e 0f 80 00'], ['iso-2022-jp', '1b 24 42 1b 24 58 21'],
  ['utf-16le', '3d d8 61'], ['utf-16be', 'd8 3d de 00 dc 00'],
]) {
  const whole = new TextDecoder(label).decode(bytes(text));
  const streaming = new TextDecoder(label);
  let parts = '';
  for (const byte of bytes(text)) parts += streaming.decode(Uint8Array.of(byte), { stream: true });
  parts += streaming.decode();
  print(label, text, '→', codes(whole), parts === whole ? '' : `but in parts ${codes(parts)}`, thrown(() => new TextDecoder(label, { fatal: true }).decode(bytes(text)).length));
}

// A byte order mark is a character of these, and an error ends what was being decoded.
print(codes(new TextDecoder('gb18030').decode(bytes('84 31 95 33 41'))), codes(new TextDecoder('windows-1252').decode(bytes('ef bb bf'))));
const fatal = new TextDecoder('iso-2022-jp', { fatal: true });
print(codes(fatal.decode(bytes('1b 24 42 24'), { stream: true })), thrown(() => fatal.decode(bytes('80'), { stream: true })), codes(fatal.decode(bytes('24 22'))));

// Buffers that change while they are decoded, and a decoder that is none.
const shrinking = new ArrayBuffer(8, { maxByteLength: 8 });
print(codes(new TextDecoder('koi8-r').decode(new Uint8Array(shrinking), { get stream() { shrinking.resize(2); return false; } })));
const moved = new ArrayBuffer(8);
print(codes(new TextDecoder('big5').decode(moved, { get stream() { moved.transfer(); return true; } })) === '');
print(thrown(() => TextDecoder.prototype.decode.call({}, all)), thrown(() => new TextDecoder('nothing', { get fatal() { throw new TypeError(); } })));

// As a stream.
const stream = new Blob([bytes('93 fa 96 7b 8c')]).stream().pipeThrough(new TextDecoderStream('Shift_JIS'));
let streamed = '';
for await (const part of stream) streamed += part;
print(codes(streamed));
print(await new Array(3).fill('euc-kr').reduce(async (text, label) => await text + new TextDecoder(label).decode(bytes('c7 d1')), ''));
console.log(lines.join('\n'));
