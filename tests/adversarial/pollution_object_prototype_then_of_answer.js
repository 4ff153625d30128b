// A tool's answer is taken as it is: `then` on Object.prototype is not asked.
// expect: ok="object"
let asked = 'no';
const pending = tools.echo({ a: 1 });
Object.defineProperty(Object.prototype, 'then', {
  get() {
    asked = 'yes';
    return undefined;
  },
  configurable: true,
});
const answer = await pending;
const seen = typeof answer;
delete Object.prototype.then;
seen;
