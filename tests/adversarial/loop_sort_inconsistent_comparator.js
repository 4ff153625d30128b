// A comparator that contradicts itself must not make the sort run out of its array.
// expect: ok=[1000,1000]
const numbers = Array.from({ length: 1000 }, (_, i) => i);
numbers.sort(() => Math.random() - 0.5);
[numbers.length, new Set(numbers).size];
