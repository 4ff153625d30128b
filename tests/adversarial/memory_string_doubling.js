// Doubling a string that is looked at each time, so that it has to be there in full.
// expect: code=memory_limit
// timeout: 30000
let text = 'x';
for (;;) {
  text += text;
  text.charCodeAt(text.length - 1);
}
