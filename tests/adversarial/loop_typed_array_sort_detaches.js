// A comparator that takes the buffer away from the typed array it sorts.
// expect: ok=0
const sorted = new Float64Array(1000).map((_, i) => -i);
sorted.sort((a, b) => {
  if (!sorted.buffer.detached) sorted.buffer.transfer(8);
  return a - b;
});
sorted.length;
