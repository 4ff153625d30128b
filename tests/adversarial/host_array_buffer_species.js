// A species that gives buffers smaller than asked for.
// expect: ok="TypeError"
class Small extends Uint8Array {
  static get [Symbol.species]() {
    return function () {
      return new Uint8Array(1);
    };
  }
}
let seen;
try {
  new Small(1000).map((x) => x);
} catch (error) {
  seen = error.name;
}
seen;
