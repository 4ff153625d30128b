// The parser meets the end of the stack and calls it a syntax error; it is caught all the same.
// expect: ok=true
// timeout: 5000
globalThis.again = () => new Function('return again()')();
let caught;
try {
  again();
} catch (error) {
  caught = error;
}
caught instanceof Error;
