// expect: code=timeout
// timeout: 150
(function again() {
  Promise.resolve().then(again);
})();
await new Promise(() => {});
