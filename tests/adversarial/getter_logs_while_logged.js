// A log argument whose toJSON logs itself.
// expect: ok="done"
let depth = 0;
const chatty = {
  toJSON() {
    if (++depth < 20) console.log(chatty);
    return depth;
  },
};
console.log(chatty);
'done';
