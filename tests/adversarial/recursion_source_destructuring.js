// expect: ok=true
// timeout: 5000
let caught;
try {
  eval('var ' + '['.repeat(200000) + 'a' + ']'.repeat(200000) + ' = []');
} catch (error) {
  caught = error;
}
caught instanceof Error;
