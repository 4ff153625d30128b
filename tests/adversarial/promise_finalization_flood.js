// A collector's callback that makes work for the collector, without end.
// expect: code=timeout
// timeout: 200
const registry = new FinalizationRegistry(() => make());
function make() {
  registry.register({}, 0);
  registry.register({}, 0);
}
make();
for (;;) await null;
