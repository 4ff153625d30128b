// The guest's console is its own to break.
// expect: ok="done"
// log: first
console.log('first');
const log = console.log;
console.log = () => {
  throw new Error('broken');
};
globalThis.console = null;
'done';
