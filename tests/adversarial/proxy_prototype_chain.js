// A prototype chain of a hundred thousand links, asked for what none of them has.
// expect: ok="undefined"
// timeout: 10000
// memory: 64MiB
let object = {};
for (let i = 0; i < 100000; i++) object = Object.create(object);
typeof object.nothing;
