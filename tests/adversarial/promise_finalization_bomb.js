// A collector's callback that makes ten new things to collect.
// expect: code=memory_limit
// timeout: 10000
// memory: 8MiB
const registry = new FinalizationRegistry(() => {
  for (let i = 0; i < 10; i++) registry.register({}, i);
});
for (let i = 0; i < 1000; i++) registry.register({}, i);
await new Promise(() => {});
