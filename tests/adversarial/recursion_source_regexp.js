// expect: ok="SyntaxError"
// timeout: 5000
let seen;
try {
  eval('/' + '(?:'.repeat(200000) + ')'.repeat(200000) + '/');
} catch (error) {
  seen = error.name;
}
seen;
