// What our changes to the JavaScript engine must not change: regular expressions and JSON of generated
// patterns, texts and values, in `cordon run` and in Node. And what one of them brings: the order of texts.
//
//   node language.mjs CORDON [CASES [SEED]]
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import vm from "node:vm";

const [cordon, cases = "2000", seed = String(Date.now() % 1e6)] = process.argv.slice(2);
console.log(`${cases} cases of each, seed ${seed}`);

// Runs in both: it answers with a line a case, so that a difference shows which it is.
const program = `
let state = ${Number(seed)} * 2654435761 % 4294967296;
const random = (n) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor(state / 4294967296 * n);
};
const pick = (list) => list[random(list.length)];
const repeat = (n, make) => Array.from({ length: n }, make);

const letters = ["a", "b", "ab", "c", " ", "\\n", "\\r", "-", "0", "7", "A", "\\u00e9", "\\u00ff"];
const wide = letters.concat("\\u0100", "\\u2028");
const pairs = wide.concat("\\ud83d\\ude00", "\\ud83d");
const text = (rare = pairs) => repeat(random(24), () => pick(random(4) ? letters : rare)).join("");

const atom = (depth) => {
  switch (random(depth > 0 ? 13 : 9)) {
    case 0: case 1: return pick(["a", "b", "c", "7", "-", "\\u00e9", "\\u0100"]);
    case 2: return pick([".", "\\\\d", "\\\\w", "\\\\s", "\\\\D", "\\\\W", "\\\\S"]);
    case 3: return pick(["[a-c]", "[^a]", "[a0-9]", "[\\u00e0-\\u0180]", "[^]", "[]", "[A-Ca-c\\\\s]"]);
    case 4: return pick(["^", "$", "\\\\b", "\\\\B"]);
    case 5: return "ab";
    case 6: return pick(["(a)\\\\1", "(?:)", "(b)?"]);
    case 7: return "\\\\n";
    case 8: return pick(["a|b", "|a"]);
    case 9: return "(" + pattern(depth - 1) + ")";
    case 10: return "(?:" + pattern(depth - 1) + ")";
    case 11: return pick(["(?=", "(?!", "(?<=", "(?<!"]) + pattern(depth - 1) + ")";
    default: return "(?:" + pattern(depth - 1) + ")" + pick(["*", "+?", "{0,2}"]);
  }
};
const quantified = (depth) => {
  const one = atom(depth);
  if (random(3) || /^[\\^$]|^\\\\[bB]|^\\(\\?<?[=!]|\\|/.test(one)) return one;
  return one.length > 2 && !/^[[(\\\\]/.test(one) ? one : one + pick(["*", "+", "?", "*?", "+?", "{2}", "{1,3}"]);
};
const pattern = (depth) => repeat(1 + random(3), () => quantified(depth)).join("");

const matches = (source, flags, subject) => {
  let expression;
  try {
    expression = new RegExp(source, flags);
  } catch {
    return "refused";
  }
  const found = [];
  for (let i = 0; i < 20; i++) {
    const match = expression.exec(subject);
    found.push(match && [match.index, expression.lastIndex, ...match]);
    if (match && match[0] === "" && (flags.includes("g") || flags.includes("y"))) expression.lastIndex++;
  }
  return JSON.stringify([found, subject.replace(expression, "<$&>"), subject.search(expression)]);
};

const anything = (depth) => {
  switch (random(depth > 0 ? 9 : 6)) {
    case 0: return pick([null, true, false, undefined]);
    case 1: return pick([0, -0, 1.5, 1e21, 1e-7, 123456789, -2147483648, NaN, Infinity]);
    case 2: return "";
    case 3: return text();
    case 4: return text() + pick(['"', "\\\\", "\\t", "\\b", "\\f", "\\u0000", "\\u001f", "\\u007f", "\\udc00"]) + text();
    case 5: return "x".repeat(random(300)) + pick(["", '"', "\\u0100"]);
    case 6: return repeat(random(4), () => anything(depth - 1));
    case 7: return { toJSON() { return text(); } };
    default: return Object.fromEntries(repeat(random(5), () => [text(), anything(depth - 1)]));
  }
};
const json = (value, indent) => {
  const written = JSON.stringify(value, null, indent);
  return written === undefined ? "undefined" : written + JSON.stringify(JSON.parse(written));
};

const orders = [undefined, { numeric: true }, { sensitivity: "base" }, { sensitivity: "accent" }, { sensitivity: "case" },
  { caseFirst: "upper" }, { numeric: true, sensitivity: "base" }];
const signs = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i));
const latin = Array.from("aAàÀáâäÄåæÆbBcçčdđeEéÉèêëfghiIíïjkłlmnNñóöÖøoOpqrsSšßtuUúüÜvwxyzZžþð'\u2019\u201c1290 -");
const word = () => repeat(random(5), () => pick(random(2) ? signs : latin)).join("");
const compared = () => {
  const [a, b, locale, options] = [word(), word(), pick([undefined, "en", "en-US", "de", "es"]), pick(orders)];
  return JSON.stringify([a, b, locale, options]) + " -> " + Math.sign(a.localeCompare(b, locale, options));
};

const lines = [];
for (let i = 0; i < ${Number(cases)}; i++) {
  const source = pattern(2);
  const flags = pick(["", "g", "m", "i", "gm", "y", "u", "s", "gu", "im"]);
  // The two do not agree about empty matches inside of a pair.
  const subject = text(flags.includes("u") ? wide : pairs);
  lines.push(JSON.stringify([source, flags, subject]) + " -> " + matches(source, flags, subject));
  lines.push(json(anything(3), pick([undefined, 2, "\\t"])));
  for (let j = 0; j < 4; j++) lines.push(compared());
}
lines`;

// A generated pattern may take for ever, in both: then take another seed.
const expected = vm.runInNewContext(program, {}, { timeout: 60_000 });
const run = spawnSync(cordon, ["run", "--timeout", "60000", "-"], { input: program, maxBuffer: 1 << 28 });
assert.equal(run.status, 0, run.stderr.toString());
const got = JSON.parse(run.stdout);
assert.equal(got.length, expected.length);
let different = 0;
expected.forEach((line, i) => {
  if (line === got[i]) return;
  if (++different <= 10) console.log(`node:   ${line}\ncordon: ${got[i]}\n`);
});
assert.equal(different, 0, `${different} of ${expected.length} lines differ`);
const refused = expected.filter((line) => line.endsWith("-> refused")).length;
assert.ok(refused < expected.length / 8, `${refused} patterns were refused by both: there is little left to compare`);
console.log(`${expected.length} lines are the same (${refused} patterns refused by both)`);
