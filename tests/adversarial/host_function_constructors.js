// Every kind of function's constructor sees the same bare world.
// expect: ok=["undefined","undefined","undefined","undefined"]
const kinds = [function () {}, function* () {}, async function () {}, async function* () {}];
const seen = [];
for (const kind of kinds) {
  const made = kind.constructor('return typeof process')();
  const value = made && made.next ? await made.next() : await made;
  seen.push(value && value.value ? value.value : value);
}
seen;
