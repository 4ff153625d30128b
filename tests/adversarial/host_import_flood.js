// expect: code=timeout
// timeout: 200
for (;;) await import('./nowhere.js').catch(() => {});
