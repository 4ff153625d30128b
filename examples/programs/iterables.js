// Symbols and iterables of our own, private data in a WeakMap, a registry of weak references.
const secrets = new WeakMap();
class Session {
  constructor(user, token) {
    this.user = user;
    secrets.set(this, { token, created: Date.now() });
  }
  matches(token) { return secrets.get(this).token === token; }
  [Symbol.toPrimitive](hint) { return hint === 'number' ? secrets.get(this).token.length : `Session(${this.user})`; }
}

class Range {
  constructor(from, to, step = 1) { Object.assign(this, { from, to, step }); }
  *[Symbol.iterator]() { for (let n = this.from; this.step > 0 ? n < this.to : n > this.to; n += this.step) yield n; }
  static [Symbol.hasInstance](value) { return typeof value?.from === 'number' && typeof value?.to === 'number'; }
}

class Matrix {
  #rows;
  constructor(rows) { this.#rows = rows; }
  [Symbol.iterator]() {
    let row = 0, column = 0;
    const rows = this.#rows;
    return {
      next() {
        if (row >= rows.length) return { value: undefined, done: true };
        const value = rows[row][column];
        if (++column === rows[row].length) { row++; column = 0; }
        return { value, done: false };
      },
      return() { console.log('closed early'); return { done: true }; },
      [Symbol.iterator]() { return this; },
    };
  }
}

const session = new Session('ada', 'abc123');
const matrix = new Matrix([[1, 2], [3, 4], [5, 6]]);
for (const value of matrix) if (value === 3) break;
const [first, second] = matrix;
const kind = Symbol('kind');
const tagged = { [kind]: 'hidden', shown: 1, [Symbol.for('app.id')]: 7 };

const range = new Range(0, 10, 3);
({
  session: [`${session}`, +session, session.matches('abc123'), Object.keys(session), secrets.has({})],
  range: [[...range], Array.from(new Range(3, 0, -1), (n) => n * n), Math.max(...range), { from: 1, to: 2 } instanceof Range],
  matrix: [first, second, [...matrix].reduce((a, b) => a + b)],
  symbols: [Object.keys(tagged), Object.getOwnPropertySymbols(tagged).length, kind.description, Symbol.keyFor(Symbol.for('app.id')), JSON.stringify(tagged)],
  entries: [...new Map(Object.entries({ x: 1 })).entries(), ...'hi', ...new Set([1])],
  weak: new WeakRef(session).deref() === session,
});
