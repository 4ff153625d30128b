// The namespace is the program's own copy: replaced functions are not the host's.
// expect: ok=["mine","real"]
const real = tools.echo;
tools.echo = () => 'mine';
const first = tools.echo();
globalThis.tools = null;
[first, await real('real')];
