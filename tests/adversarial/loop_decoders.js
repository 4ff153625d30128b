// Every encoding's table, and text that is all errors, again and again.
// expect: code=timeout
// timeout: 300
const labels = ['gbk', 'gb18030', 'big5', 'euc-jp', 'iso-2022-jp', 'shift_jis', 'euc-kr', 'koi8-r', 'macintosh'];
const wrong = new Uint8Array(1 << 16).map((_, i) => [0x1b, 0xff, 0x81, 0x30][i % 4]);
for (;;) for (const label of labels) new TextDecoder(label).decode(wrong);
