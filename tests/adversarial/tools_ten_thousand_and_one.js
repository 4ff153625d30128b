// One more call than may be pending is refused; the others stay.
// expect: ok=["runtime_error","Too many pending tool calls"]
// timeout: 20000
// memory: 64MiB
for (let i = 0; i < 10000; i++) tools.hold(i);
let seen;
try {
  await tools.hold(10000);
} catch (error) {
  seen = [error.code, error.message];
}
seen;
