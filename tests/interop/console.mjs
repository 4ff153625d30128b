// What console.log shows of generated values: JSON where JSON loses nothing, and otherwise what Node's inspector
// shows on one line.
//
//   node console.mjs CORDON [CASES [SEED]]
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { inspect } from "node:util";

const [cordon, cases = "2000", seed = String(Date.now() % 1e6)] = process.argv.slice(2);
console.log(`${cases} values, seed ${seed}`);

// Runs in both, and hands each value to `see`.
const program = `
let state = ${Number(seed)} * 2654435761 % 4294967296;
const random = (n) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor(state / 4294967296 * n);
};
const pick = (list) => list[random(list.length)];
const repeat = (n, make) => Array.from({ length: n }, make);
const text = () => repeat(random(6), () => pick(["a", "b", "_", "7", " ", "'", '"', "\`", "$", "\\\\", "\\n", "\\x07", "\\x9f", "\\u00e9", "\\u0100", "\\ud83d\\ude00", "\\ud83d"])).join("");
class Point { constructor(x) { this.x = x; } get norm() { throw 1; } }
class Error3 extends Point { #hidden = 1; }
class Bag extends Map {}
class Group extends Set {}
class List extends Array {}
function Old() {}
const tagged = { [Symbol.toStringTag]: "Tagged" };

const primitive = () => {
  switch (random(9)) {
    case 0: return pick([null, true, false]);
    case 1: return undefined;
    case 2: return pick([0, 1, -5, 1.5, 1e21, 1e-7, 4294967296]);
    case 3: return pick([-0, NaN, Infinity, -Infinity]);
    case 4: return pick([0n, -12345678901234567890n]);
    case 5: return pick([Symbol(), Symbol("s"), Symbol.iterator, Symbol.for("g")]);
    default: return text();
  }
};
const key = () => random(8) ? text() : pick([Symbol("k"), "12", "0", "__proto__", "toString", "constructor"]);
const members = (object, depth, most) => {
  repeat(random(most), () => {
    const name = key();
    const own = random(12) ? { value: value(depth - 1), writable: true } : pick([{ get() { throw 1; } }, { set(v) {} }, { get() { throw 1; }, set(v) {} }]);
    Object.defineProperty(object, name, { ...own, enumerable: random(10) > 0, configurable: true });
  });
  return object;
};
const plain = (depth) => {
  if (depth <= 0) return pick([null, true, 1, -2.5, text()]);
  return random(2) ? repeat(random(5), () => plain(depth - 1)) : Object.fromEntries(repeat(random(4), () => [text(), plain(depth - 1)]));
};
const holes = (depth) => {
  const list = new Array(random(4));
  repeat(random(4), () => { list[random(9)] = value(depth - 1); });
  return list;
};
const value = (depth) => {
  if (depth <= 0 || random(4) === 0) return primitive();
  switch (random(24)) {
    case 0: case 1: case 2: return plain(depth);
    case 3: case 4: return repeat(random(5), () => value(depth - 1));
    case 5: case 6: return members({}, depth, 4);
    case 7: return members(Object.create(null), depth, 3);
    case 8: return holes(depth);
    case 9: return new (pick([Map, Map, Bag]))(repeat(random(4), () => [value(depth - 1), value(depth - 1)]));
    case 10: return new (pick([Set, Set, Group]))(repeat(random(4), () => value(depth - 1)));
    case 11: return members(new Point(value(depth - 1)), depth, 2);
    case 12: return pick([/a\\/b/g, /[/]/y, new Date(0), new Date(NaN), new Date(1e14)]);
    case 13: return new (pick([Uint8Array, Int16Array, Float64Array]))(random(4));
    case 14: return pick([new Uint8Array([1, 171, 255]).buffer, new DataView(new ArrayBuffer(2), 1)]);
    case 15: return pick([new Number(1), new String("it's"), new Boolean(false), Object(3n), Object(Symbol("q"))]);
    case 16: return pick([() => {}, function f() {}, async () => {}, function* g() {}, class {}, class A extends Point {}, Math.min, async function* h() {}]);
    case 17: return members(pick([() => {}, function f() {}, class C {}]), depth, 2);
    case 18: return pick([new WeakMap(), new WeakSet(), new Promise(() => {}), Promise.resolve(1), [1].values(), new Map([[1, 2]]).entries(), new Set([1]).values(), (function* () {})()]);
    case 19: return new Proxy(pick([{ a: NaN }, [1, 2], () => {}]), {});
    case 20: return members(Object.create(pick([tagged, Old.prototype, Point.prototype])), depth, 2);
    case 21: return random(2) ? List.from([value(depth - 1)]) : members([value(depth - 1)], depth, 2);
    case 22: { const ring = { own: value(depth - 1) }; ring.self = random(2) ? ring : [ring]; return ring; }
    default: return Object.freeze(random(2) ? [plain(1)] : { a: plain(1) });
  }
};
for (let i = 0; i < ${Number(cases)}; i++) see([value(4)]);
`;

// What JSON.stringify loses nothing of.
function carries(value, around = []) {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== "object" || around.includes(value) || inspect(value, { showProxy: true, depth: 0 }).startsWith("Proxy [")) return false;
  if (value instanceof Date) return Number.isFinite(value.getTime());
  const prototype = Object.getPrototypeOf(value);
  if (Array.isArray(value) ? prototype !== Array.prototype : prototype !== null && prototype !== Object.prototype) return false;
  const shown = Reflect.ownKeys(value).map((key) => [key, Object.getOwnPropertyDescriptor(value, key)]).filter(([, own]) => own.enumerable);
  if (Array.isArray(value) && (shown.length !== value.length || shown.some(([key]) => String(key >>> 0) !== key))) return false;
  return shown.every(([key, own]) => typeof key === "string" && "value" in own && carries(own.value, [...around, value]));
}

// Older versions of Node bracket other names.
const common = (line) => line.replace(/\[(byteLength|byteOffset|buffer|Symbol\([\w.]*\))\](?=: )/g, "$1");

const expected = [];
new Function("see", program)((value) => {
  expected.push(carries(value) ? JSON.stringify(value) : inspect(value, { breakLength: Infinity, compact: 1000, depth: 6 }));
});
const request = {
  type: "execute",
  id: "1",
  code: `const see = console.log;${program}`,
  options: { timeoutMs: 60000, memoryLimitBytes: 1 << 28, maxLogLines: 100000, maxLogChars: 1 << 24 },
  providers: [],
};
const run = spawnSync(cordon, ["runner"], { input: JSON.stringify(request) + "\n", maxBuffer: 1 << 28 });
const done = JSON.parse(run.stdout.toString().trim().split("\n").at(-1));
assert.ok(done.ok, JSON.stringify(done.error));
assert.equal(done.logs.length, expected.length);
let different = 0;
expected.forEach((line, i) => {
  if (common(line) === common(done.logs[i])) return;
  if (++different <= 10) console.log(`node:   ${line}\ncordon: ${done.logs[i]}\n`);
});
assert.equal(different, 0, `${different} of ${expected.length} lines differ`);
const json = expected.filter((line, i) => line.startsWith("[") && !line.startsWith("[ ")).length;
console.log(`${expected.length} lines are the same (${json} of them JSON)`);
