// Bytes that no program has: an error in words.
// expect: ok="SyntaxError"
let seen;
try {
  eval('1 \0 2');
} catch (error) {
  seen = error.name;
}
seen;
