// A comparator that empties and refills the array it sorts.
// expect: ok=true
const victims = Array.from({ length: 500 }, (_, i) => 500 - i);
victims.sort((a, b) => {
  victims.length = 0;
  for (let i = 0; i < 10; i++) victims.push({});
  return a - b;
});
Array.isArray(victims);
