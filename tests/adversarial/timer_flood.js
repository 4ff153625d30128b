// Timers without end are memory like any other.
// expect: code=memory_limit
// timeout: 20000
for (;;) setTimeout(() => {}, 1e6);
