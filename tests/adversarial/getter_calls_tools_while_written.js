// A tool input whose getter calls the tool with an input whose getter calls the tool …
// expect: ok=[50,"serialization_error"]
// timeout: 10000
let calls = 0;
const nested = (depth) => ({
  get deeper() {
    calls++;
    if (depth > 0) tools.echo(nested(depth - 1));
    return depth;
  },
});
await tools.echo(nested(49));
const counted = calls;
const endless = () => ({ get deeper() { return endless(); } });
let code;
try {
  await tools.echo(endless());
} catch (error) {
  code = error.code;
}
[counted, code];
