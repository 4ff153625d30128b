// expect: ok=7
// timeout: 2000
const result = tools.echo(7);
Object.defineProperty(Promise.prototype, 'then', {
  value: function (resolve) {
    resolve(7);
  },
});
result;
