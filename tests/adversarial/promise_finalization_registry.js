// Callbacks of the collector come at a time of the guest's own, and hold nothing up.
// expect: ok="done"
// timeout: 5000
// memory: 64MiB
let collected = 0;
const registry = new FinalizationRegistry(() => collected++);
for (let i = 0; i < 10000; i++) registry.register({}, i);
const weak = new WeakRef({ big: new Array(1000).fill(0) });
await null;
weak.deref();
'done';
