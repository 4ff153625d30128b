// A line of a million characters, again and again: what is kept is bounded.
// expect: ok="done"
// timeout: 10000
const line = 'x'.repeat(1 << 20);
for (let i = 0; i < 100; i++) console.log(line, line);
'done';
