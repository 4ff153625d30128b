// The clock tells the time, and nothing of how long the machine is up.
// expect: ok=[true,true,true]
const start = performance.now();
[start >= 0 && start < 10000, Math.abs(performance.timeOrigin - Date.now()) < 60000, performance.now() >= start];
