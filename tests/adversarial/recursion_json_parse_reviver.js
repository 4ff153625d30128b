// A reviver walks what was parsed: as deep as it can be without trouble, and back.
// expect: ok=1001
// timeout: 5000
let count = 0;
JSON.parse('['.repeat(1000) + ']'.repeat(1000), (key, value) => {
  count++;
  return value;
});
count + 1;
