// Stacks show the program's own names, and nothing of the host's files.
// expect: ok=[]
const stacks = [];
stacks.push(new Error('x').stack);
try {
  await tools.fail();
} catch (error) {
  stacks.push(error.stack);
}
try {
  eval('(');
} catch (error) {
  stacks.push(error.stack);
}
try {
  await import('nowhere');
} catch (error) {
  stacks.push(error.stack, error.message);
}
stacks.filter((text) => /\/(work|home|root|usr|tmp|src|build)\b|\.cc\b|\.c:|0x[0-9a-f]{6}|wasm/i.test(text));
