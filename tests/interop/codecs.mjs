// node codecs.mjs CODEC_PEER [CASES [SEED]]: what our codecs make of a payload, compared with what the
// npm packages make of it, in both directions:
//
//   - text that the reference wrote of a generated value is read and written again, byte for byte
//   - payloads that are wrong, by hand and by mutation, fail on both sides with the same words, or on
//     neither side, with the same value
//   - MessagePack likewise, and from JSON
//   - what JSON.stringify and MessagePack make of what the reference reads
//   - types of the caller's, the same ones on both sides
import { spawn } from "node:child_process";
import { createRequire } from "node:module";

// Date.parse takes many texts that the language does not prescribe and each engine reads in its own
// way. Ours reads the three prescribed formats, so here the reference does too.
const prescribed = [
  /^(\d{4}|[+-]\d{6})(-\d\d(-\d\d)?)?([T t]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|z|[+-]\d\d:?\d\d)?)?$/,
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun),? (\d\d [A-Z][a-z][a-z]|[A-Z][a-z][a-z] \d\d) -?\d{4,6}( \d\d:\d\d:\d\d (GMT|UTC)([+-]\d{4})?( \(.*\))?)?$/,
];
const RealDate = globalThis.Date;
globalThis.Date = class Date extends RealDate {
  constructor(...given) {
    if (given.length === 1 && typeof given[0] === "object" && given[0] !== null && !(given[0] instanceof RealDate)) given[0] = String(given[0]);
    if (given.length === 1 && typeof given[0] === "string" && !prescribed.some((format) => format.test(given[0]))) given[0] = NaN;
    super(...given);
  }
};

const require = createRequire(process.env.CORDON_INTEROP + "/");
const { Serializer } = require("@bluelibs/runner");
const msgpack = require("@msgpack/msgpack");

const [, , peerPath, casesText = "2000", seedText = String(Date.now() % 2 ** 31)] = process.argv;
const cases = Number(casesText);
const seed = Number(seedText);

// ---- the peer

const peer = spawn(peerPath, [], { stdio: ["pipe", "pipe", "inherit"] });
const lines = linesOf(peer.stdout.setEncoding("utf8"));

// Of \n alone: node:readline also breaks at U+2028.
async function* linesOf(stream) {
  let held = "";
  for await (const piece of stream) {
    const parts = (held + piece).split("\n");
    held = parts.pop();
    yield* parts;
  }
}

async function convert(from, to, input, options = {}) {
  peer.stdin.write(JSON.stringify({ from, to, input, options }) + "\n");
  while (true) {
    const { value: line, done } = await lines.next();
    if (done) throw new Error("the peer ended at " + JSON.stringify(input));
    const answer = JSON.parse(line);
    if (!answer.ask) return answer;
    peer.stdin.write(JSON.stringify(answerTo(answer)) + "\n");
  }
}

function answerTo({ pattern, flags }) {
  try {
    new RegExp(pattern, flags);
    return true;
  } catch {
    return false;
  }
}

// ---- what the reference does

const serializers = new Map();
function serializerOf(options) {
  const key = JSON.stringify(options);
  if (!serializers.has(key)) {
    const real = { ...options };
    for (const name of ["maxDepth", "maxRegExpPatternLength"]) {
      if (real[name] === "Infinity") real[name] = Infinity;
    }
    const serializer = new Serializer(real);
    if (options.customTypes) customTypes.forEach((type) => serializer.addType(type));
    serializers.set(key, serializer);
  }
  return serializers.get(key);
}

// codec_peer.cc has the same.
const isKind = (kind) => (value) => typeof value === "object" && value !== null && !Array.isArray(value) && value.kind === kind;
const customTypes = [
  {
    id: "Distance", strategy: "value", is: isKind("distance"),
    serialize: (value) => [value.amount, value.unit],
    deserialize: (payload) => {
      if (!Array.isArray(payload)) throw new Error("Invalid Distance payload");
      return { kind: "distance", amount: payload[0], unit: payload[1] };
    },
  },
  { id: "Same", strategy: "value", is: isKind("same"), serialize: (value) => value, deserialize: (payload) => payload },
  { id: "SameNode", is: isKind("same node"), serialize: (value) => value, deserialize: (payload) => payload },
  {
    id: "Node", is: isKind("node"), create: () => ({ made: true }),
    serialize: (value) => ({ amount: value.amount, unit: value.unit }),
    deserialize: (payload) => ({ kind: "node", amount: payload?.amount, unit: payload?.unit }),
  },
  {
    id: "Bare", strategy: "ref", is: isKind("bare"),
    serialize: (value) => [value.unit],
    deserialize: (payload) => (Array.isArray(payload) ? { kind: "bare", unit: payload[0] } : 5),
  },
  { id: "List", is: isKind("list"), serialize: (value) => [value.unit, value.amount], deserialize: (payload) => payload },
];

function reference(make) {
  try {
    return { output: make() };
  } catch (error) {
    return { error: error.message.split("\n")[0] };
  }
}

// ---- the comparison

const failures = [];
let compared = 0;
let bothFailed = 0;

// Our errors begin with the reference's words, and then tell the place.
function agree(ours, theirs) {
  if (theirs.error === undefined) return ours.output === theirs.output;
  // A Date of a list that holds a half-read Error: there the original has an object without a prototype. Ours has an
  // invalid Date.
  if (theirs.error === "Cannot convert object to primitive value") return true;
  return ours.error !== undefined && ours.error.startsWith(theirs.error.replace(/\.$/, ""));
}

async function check(name, from, to, input, options, make, same = agree) {
  const theirs = reference(make);
  const ours = await convert(from, to, input, options);
  ++compared;
  if (theirs.error !== undefined) ++bothFailed;
  if (!same(ours, theirs)) {
    failures.push({ name, from, to, options, input, ours, theirs });
    if (failures.length >= 10) throw new Error("too many failures");
  }
}

// A payload of any kind, read and written in both formats.
async function checkText(name, text, options = {}) {
  const serializer = serializerOf(options);
  await check(name, "runner", "runner", text, options, () =>
    serializer.stringify(withoutOwnStacks(serializer.parse(text))));
  await check(name, "runner", "graph", text, options, () =>
    serializer.serialize(withoutOwnStacks(serializer.parse(text))));
}

// An Error payload without a stack gets that of this very process from the reference; ours gets none.
function withoutOwnStacks(value) {
  const seen = new Set();
  const todo = [value];
  while (todo.length > 0) {
    const next = todo.pop();
    if (next === null || typeof next !== "object" || seen.has(next)) continue;
    seen.add(next);
    if (next instanceof Error && typeof next.stack === "string" && next.stack.includes("node_modules")) {
      Object.defineProperty(next, "stack", { value: undefined, writable: true, configurable: true });
    }
    if (next instanceof Map) for (const [key, each] of next) todo.push(key, each);
    if (next instanceof Set) todo.push(...next);
    if (!ArrayBuffer.isView(next)) {
      for (const key of Object.getOwnPropertyNames(next)) if (key !== "stack") todo.push(next[key]);
    }
  }
  return value;
}

// ---- generated values

function mulberry32(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
const random = mulberry32(seed);
const below = (n) => Math.floor(random() * n);
const pick = (list) => list[below(list.length)];

const words = ["", "a", "id", "name", "0", "1", "10", "2", "01", "-1", "4294967294", "4294967295", "__type",
  "__graph", "__ref", "value", "kind", "nodes", "root", "$runner.escape::__type", "$runner.escape::", "é", "€",
  "\u{1f600}", "\ud83d", "\ude00", "\n\t\"\\/", "\u2028", "x".repeat(40), "toString", "constructor", "prototype",
  "$runner.escape::__proto__", "$runner.escape::7", "obj_1"];
const text = () => (random() < 0.7 ? pick(words) : pick(words) + pick(words) + below(1000));
const number = () => pick([0, -0, 1, -1, below(1000), random(), -random() * 1e9, 1e21, 5e-324, 2 ** 53, NaN,
  Infinity, -Infinity, 1.7976931348623157e308, below(2 ** 31)]);
const bytes = () => Uint8Array.from({ length: 8 * below(3) }, () => below(256));

const scalars = [
  () => undefined, () => null, () => true, () => false, number, number, text, text,
  () => BigInt(below(1e9)) * BigInt(pick([1, -1])) ** 3n * 10n ** BigInt(below(30)),
  () => Symbol.for(text()), () => pick([Symbol.iterator, Symbol.asyncIterator, Symbol.toStringTag]),
  () => new Date(pick([0, 1, -1, below(4e12), -62198755200000, 8.64e15, -8.64e15, 253402300800000])),
  () => new RegExp(pick(["a", "a+b", "[a-z]/x", "\\d+", "(?:a|b)c", "", "\n", "é\u2028"]), pick(["", "g", "gi", "dgimsuy"])),
  () => new URL(pick(["http://a", "https://example.org/a b?c=d#e", "mailto:x@y", "http://ü.example/\ud800?é#" + text(), "data:" + text()])),
  () => new URLSearchParams(pick(["", "a=1&b=2", "q=é +x", "&&=&a"])),
  () => bytes().buffer, () => new DataView(bytes().buffer), () => Buffer.from(bytes()),
  () => new (pick([Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array,
    Float32Array, Float64Array, BigInt64Array, BigUint64Array]))(bytes().buffer),
];

const kinds = ["distance", "same", "same node", "node", "bare", "list"];

// Containers are made first and filled with one another: a tree if no cycles are wanted.
function generate({ cycles, custom = false }) {
  const containers = Array.from({ length: 1 + below(7) }, () => pick([
    ...(custom ? kinds.map((kind) => () => ({ kind })) : []),
    () => [], () => [], () => ({}), () => ({}), () => new Map(), () => new Set(),
    () => Object.assign(pick([new Error(text()), new TypeError(text(), { cause: pick(scalars)() })]), { stack: text() }),
  ])());
  containers.forEach((container, i) => {
    const child = () => {
      const choices = cycles ? containers : containers.slice(i + 1);
      return random() < 0.4 && choices.length > 0 ? pick(choices) : pick(scalars)();
    };
    for (let n = below(5); n > 0; --n) {
      if (Array.isArray(container)) container.push(child());
      else if (container instanceof Map) container.set(child(), child());
      else if (container instanceof Set) container.add(child());
      else if (container instanceof Error) container["x" + text()] = child();
      else Object.defineProperty(container, container.kind ? pick(["amount", "unit"]) : text(), { value: child(), enumerable: true, writable: true, configurable: true });
    }
    if (Array.isArray(container) && random() < 0.1) container.length += 1;
  });
  return containers[0];
}

// ---- wrong payloads

const typed = (type, value) => JSON.stringify({ __type: type, value });
const graph = (root, nodes) => JSON.stringify({ __graph: true, version: 1, root, nodes });
const ref = (id) => ({ __ref: id });

const odd = [
  "", " ", "{", "[1,]", "\ufeff1", "nul", "01", '"\\ud800"', "1e400", "-0", '{"a":1,"a":2}',
  '{"2":1,"b":2,"1":3,"a":4}', '{"__proto__":{"x":1},"constructor":1,"prototype":2,"k":3}',
  '{"__proto__":{"__type":"Nope","value":1},"k":3}', '{"a":{"__type":"Nope","value":1},"a":2}',
  '{"__type":"Date"}', '{"__type":5,"value":1}', '{"__type":null,"value":1}', '{"value":1,"__type":"Date"}',
  '{"__type":"Date","value":1,"more":{"__type":"Nope","value":1}}', '{"__type":"Date","__type":"Set","value":[1]}',
  '{"x":1,"__type":"Set","value":[1,1]}', '{"__type":"Set","value":[{"__type":"Set","value":[]}]}',
  '{"\\u005f_type":"Date","value":0}', '{"__type":"D\\u0061te","v\\u0061lue":0}',
  '{"$runner.escape::__type":"Date","value":0}', '{"$runner.escape::__proto__":{"__type":"Nope","value":1}}',
  '{"$runner.escape::a":1,"a":2,"$runner.escape::a":3}', '{"$runner.escape::5":1,"5":2,"4":3}',
  '{"$runner.escape::$runner.escape::x":1}', '{"__graph":true}', '{"__graph":true,"root":1}',
  '{"__graph":true,"root":1,"nodes":null}', '{"__graph":true,"root":1,"nodes":[]}', '{"__graph":false,"root":1,"nodes":{}}',
  '{"__graph":true,"__graph":false,"root":1,"nodes":{}}', '{"__graph":1,"root":1,"nodes":{}}',
  '{"nodes":{},"root":[{"__type":"Date","value":0}],"__graph":true}', '{"__graph":true,"root":null,"nodes":{}}',
  '{"__graph":true,"version":99,"root":{"__ref":"0"},"nodes":[{"kind":"array","value":[1]}]}',
  '{"a":{"__graph":true,"root":1,"nodes":{}}}', '[{"__ref":"x"}]', '{"__ref":"x"}',
  ...["Date", "RegExp", "Map", "Set", "Undefined", "NonFiniteNumber", "BigInt", "Symbol", "Error", "URL",
    "URLSearchParams", "ArrayBuffer", "DataView", "Buffer", "Int16Array", "Uint8Array", "Nope", "", "toString"]
    .flatMap((type) => [null, true, 5, -1.5, "", "x", "12", "abca", [], [1], [1, 2], [256], [[]], [[1, 2, 3]], ["ab"],
      [["a", 1], ["a", 2]], [[-0, 1], [0, 2]], [0, -0, 0], [{ 0: "k", 1: "v" }], {}, { a: 1 }, { name: "n" },
      { name: "n", message: "m" }, { name: "n", message: "m", stack: 5 }, { name: "n", message: "m", customFields: [] },
      { name: "n", message: "m", cause: null, stack: "s", customFields: { toJSON: 1, name: 2, x: 3, 1: 4 } },
      { pattern: "a", flags: "gg" }, { pattern: "(", flags: "" }, { pattern: "a/b", flags: "yig" }, { pattern: "a", flags: "x" },
      { pattern: "a".repeat(1025), flags: "" }, { pattern: "é".repeat(1024), flags: "" }, { pattern: "a", flags: "uv" },
      { kind: "For", key: "a" }, { kind: "For" }, { kind: "WellKnown", key: "iterator" }, { kind: "WellKnown", key: "observable" },
      { kind: "WellKnown", key: "dispose" }, { kind: "Other", key: "a" }, { __type: "Undefined", value: null },
      { __type: "Set", value: [[1, 2]] }, { __type: "Map", value: [[1, 2]] }, { __type: "URLSearchParams", value: "a=b&c" },
      { __type: "Error", value: { name: "n", message: "m", stack: "s", customFields: { pattern: "a", flags: "g", kind: "For", key: "k" } } },
    ].map((value) => typed(type, value))),
  ...["+12", " 12 ", "-0", "00012", "1.0", "0x10", "1e3", "--1", "+-1", "\u00a012\ufeff", "12n", "9".repeat(400)].map((v) => typed("BigInt", v)),
  ...["2024", "2024-02", "2024-02-30", "2024-02-29", "2023-02-29", "2024-01-01T00:00Z", "2024-01-01T24:00:00Z", "2024-01-01T24:00:01Z",
    "2024-01-01T12:30:15.5Z", "2024-01-01T12:30:15.123456Z", "2024-01-01T00:00:00+01:30", "+002024-01-01T00:00:00Z",
    "-000000-01-01T00:00:00Z", "-000001-01-01T00:00:00Z", "+275760-09-13T00:00:00.000Z", "+275760-09-13T00:00:00.001Z",
    "Thu, 01 Jan 1970 00:00:00 GMT", "Thu Jan 01 1970 01:00:00 GMT+0100 (Central European Standard Time)",
    "Tue Feb 29 2000", "garbage", "2024-13-01", "2024-01-01T25:00:00Z"].map((v) => typed("Date", v)),
  ...["http://a", "x", "", "https://EXAMPLE.org:443/../a b", "http://[::1]", "http://a b", "http://0x7f.1", "http://1.2.3.4.5",
    "http://256.256.256.256", "file:///C|/..", "file:c:\\x", "http://a@b@c", "http://\ud800/\udc00", "//x", "http:x", "http:/x/y", "ws://A:80/", "wss://a:443",
    " \n http://a\tb/ ", "http://faß.de", "http://a.%ff", "http://a%41", "javascript:1//\n2", "blob:http://a/x", "http://a/%zz%41?'\"<>#`", "non-special://[::1", "x:/..//a"].map((v) => typed("URL", v)),
  ...["?a=b c&d&&é=%zz&=x&%ff=1+2*~-._!'()", "\ud800=\ud83d\ude00", "%F0%9F%98%80", "a=b=c"].map((v) => typed("URLSearchParams", v)),
  ...["(a+)+", "(a+)?", "(a|aa)+", "^(a|aa)+$", "(a|b)+", "(?:a|ab)*", "(?<n>a|ab)*", "(?=a|ab)*", "(a*)", "((a*))+", "(\\(a|b)+",
    "([|]a|b)+", "([a|]|[a|])+", "(a{2,3}){2}", "(a{2,3}){x}", "(a{x})+", "(a{,5})+", "(a)(b+)+", "a*a*a*$", "(a|[ab])*c", "(|a)+",
    "(a|)*", "(a\\+)+", "\\(?", "(\\(?)+", "(?a)+", "(a|b|c|ab)+", "((a|b)c|(a|b)d)+", "(?:)+", "(a))+", ")+(a+", "(a+", "[(a+)+]",
    "(\ud83d|\ud83d\ude00)+", "(a?)+", "(?:a|b(?:c|cd))+", "(x+x+)+y", "(.*a){12}", "(?>a|ab)+", "(?i:a|A)+", "(?<=a|ab)+"].flatMap((pattern) =>
      [typed("RegExp", { pattern, flags: "" })]),
  graph(ref("x"), {}), graph(ref("__proto__"), {}), graph(ref("toString"), {}), graph({ __ref: "x", a: 1 }, {}), graph({ __ref: 1 }, {}),
  '{"__graph":true,"root":{"__ref":"__proto__"},"nodes":{"__proto__":{"kind":"array","value":[]}}}',
  ...[null, 0, "", false, 5, "s", [], {}, { kind: "x" }, { kind: "array" }, { kind: "array", value: {} }, { kind: "object" },
    { kind: "object", value: [] }, { kind: "object", value: null }, { kind: "object", value: 5 }, { kind: "type" }, { kind: "type", type: "Nope", value: 1 },
    { kind: "type", type: 5, value: 1 }, { kind: "type", type: "Date", value: 5 }, { kind: "type", type: "Date", value: ref("a") },
    { kind: "type", type: "BigInt", value: "5" }, { kind: "type", type: "Map" }, { kind: "type", type: "Map", value: [[ref("a"), ref("a")]] },
    { kind: "type", type: "Set", value: [ref("a"), ref("a")] }, { kind: "type", type: "RegExp", value: { pattern: "a", flags: "g" } },
    { kind: "type", type: "RegExp", value: { pattern: "a", flags: "g", x: ref("a") } }, { kind: "type", type: "BigInt", value: ref("a") },
    { kind: "type", type: "Undefined", value: ref("a") },
    { kind: "type", type: "Error", value: { name: "n", message: "m", stack: "s", cause: ref("a"), customFields: { me: ref("a") } } },
    { kind: "object", value: { __type: "Date", value: 5 } }, { kind: "object", value: { __ref: "a" } }, { kind: "object", value: { x: { __ref: "a", y: 1 } } },
    { kind: "object", value: { a: ref("a"), "$runner.escape::b": 1, __proto: 2, constructor: { __type: "Nope", value: 1 }, 2: 1, 1: 2 } },
    { kind: "array", value: [ref("a"), ref("b"), { x: [ref("a")] }] },
  ].flatMap((node) => [graph(ref("a"), { a: node, b: { kind: "array", value: [] } }), graph([ref("b"), { k: ref("a") }, ref("a")], { a: node, b: { kind: "object", value: {} } })]),
  graph({ __type: "RegExp", value: ref("a") }, { a: { kind: "object", value: { pattern: "a", flags: "" } } }),
  graph([{ __type: "Set", value: ref("a") }, { __type: "Set", value: ref("a") }], { a: { kind: "array", value: [1, ref("b")] }, b: { kind: "object", value: {} } }),
  graph(ref("a"), { a: { kind: "array", value: [{ __type: "Set", value: ref("a") }, 1] } }),
  graph(ref("a"), { a: { kind: "array", value: [{ __type: "Map", value: ref("a") }, 1] } }),
  graph(ref("a"), { a: { kind: "object", value: { x: ref("b") } }, b: { kind: "object", value: { y: ref("a"), z: ref("b") } } }),
];

// Patterns of the pieces that the safety rule looks at.
function pattern() {
  const pieces = ["(", "(", ")", ")", ")+", ")*", "){2}", "){,3}", "){x", "|", "|", "*", "+", "?", "{1,2}", "{1", "[", "]", "[a|(]", "\\", "\\(", "\\)",
    "a", "a", "ab", "b", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?<n>", "(?>", "(?i:", "^", "$", ".", "é", "\ud83d", "\u{1f600}", ",", "}", "1"];
  return Array.from({ length: 1 + below(12) }, () => pick(pieces)).join("");
}

// A text for Date, URL, URLSearchParams or BigInt: pieces that mean something there.
function typedText() {
  const [type, pieces] = pick([
    ["Date", ["2024", "-01", "-02", "-30", "T", "12:00", ":30", ".5", ".123456", "Z", "+01:00", "-0130", "+002024", "-000001", " ", "24:00", "1", ""]],
    ["URL", ["http:", "https:", "file:", "x:", "//", "/", "a", "EXAMPLE.org", "ü", "@", ":80", ":", "[::1]", "1.2", "0x7f", "..", "/./", "?", "#", "%41", "%zz", "\t", "\\", "|", "C|", "\ud800"]],
    // Not both in one text: beside an escape that is none, Node takes é for a byte and U+1F600 for two.
    ["URLSearchParams", ["?", "a", "=", "&", "+", "%20", "%zz", "%ff", "%F0%9F%98%80", "*", "~", "'"]],
    ["URLSearchParams", ["?", "a", "=", "&", "+", "%20", "é", "\ud800", "\u{1f600}", "%F0%9F%98%80", "*", "~", "'"]],
    ["BigInt", ["+", "-", "0", "12", " ", "\n", "n", "x", "9".repeat(40), "\ufeff"]],
  ]);
  return typed(type, Array.from({ length: below(7) }, () => pick(pieces)).join(""));
}

function nested(depth, inner = "1") {
  return "[".repeat(depth) + inner + "]".repeat(depth);
}

const withOptions = [
  ...[0, 1, 2, 3, 4, 5].flatMap((maxDepth) => [
    nested(2), nested(2, ""), typed("Date", 5), `[${typed("Date", 5)}]`, typed("Set", [1]), typed("Map", [["a", 1]]), typed("Undefined", null),
    typed("Error", { name: "n", message: "m", stack: "s", customFields: { a: [] }, cause: [] }), typed("RegExp", { pattern: "a", flags: "" }),
    typed("Symbol", { kind: "For", key: "k" }), typed("Uint8Array", []), typed("Uint8Array", [1]), typed("URL", "http://a"), typed("BigInt", "1"),
    graph(ref("a"), { a: { kind: "array", value: [ref("b")] }, b: { kind: "object", value: { a: ref("a") } } }),
    graph(ref("a"), { a: { kind: "type", type: "Set", value: [ref("a")] } }), "{}", '{"a":1}', '{"__proto__":[[[[[[1]]]]]],"a":1}',
    '{"__type":"Date","value":1,"more":[[[[[[1]]]]]]}',
  ].map((text) => [text, { maxDepth }])),
  [nested(999), {}], [nested(1000), {}], [nested(1000, ""), {}], [nested(1001), {}], [nested(1001, ""), {}], [nested(1500), { maxDepth: "Infinity" }],
  [nested(1200), { maxDepth: -5 }], [nested(1), { maxDepth: 1.9 }],
  ...["allow-all", "well-known-only", "disabled"].flatMap((symbolPolicy) => [{ kind: "For", key: "a" }, { kind: "WellKnown", key: "iterator" }, { kind: "WellKnown", key: "observable" }, { kind: "x" }]
    .map((value) => [typed("Symbol", value), { symbolPolicy }])),
  ...[[], ["Date"], ["Set", "Nope"]].flatMap((allowedTypes) => [typed("Date", 5), typed("Set", []), typed("Nope", 1), "[1]", graph(ref("a"), { a: { kind: "type", type: "Date", value: 1 } })]
    .map((text) => [text, { allowedTypes }])),
  ...[0, 1, 2.5, 3, -1, "Infinity"].flatMap((maxRegExpPatternLength) => ["", "a", "ab", "abc", "\u{1f600}", "a".repeat(2000)]
    .map((pattern) => [typed("RegExp", { pattern, flags: "" }), { maxRegExpPatternLength }])),
  ...["(a+)+", "(a|aa)*", "a"].map((pattern) => [typed("RegExp", { pattern, flags: "" }), { allowUnsafeRegExp: true }]),
  ...[[], {}, [1, [2, {}]], { a: {}, b: [1] }].map((value) => [JSON.stringify(value), { pretty: true }]),
  ...["Date", "Undefined", "BigInt"].map((type) => [`[${typed(type, "5")}]`, { pretty: true }]),
  [typed("Map", [["a", [1]], ["b", {}]]), { pretty: true }], [typed("Set", []), { pretty: true }], [typed("Uint8Array", [1, 2]), { pretty: true }],
  [typed("Error", { name: "n", message: "m", stack: "s", customFields: { a: 1 }, cause: {} }), { pretty: true }],
  [typed("Symbol", { kind: "For", key: "k" }), { pretty: true }], [typed("RegExp", { pattern: "a", flags: "g" }), { pretty: true }],
];

// Swaps, drops and doubles pieces of a payload that was right.
function mutated(text) {
  const pieces = text.match(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^"[\]{},:]+/g) ?? [];
  for (let n = 1 + below(3); n > 0; --n) {
    const at = below(pieces.length);
    const scalar = (piece) => !/^[[\]{},:]$/.test(piece);
    switch (below(4)) {
      case 0:
        if (scalar(pieces[at])) pieces[at] = pick([...words.map((word) => JSON.stringify(word)), "1", "null", "true", "[]", "{}", '"Map"', '"Set"', '"Date"', '"obj_2"']);
        break;
      case 1: {
        const other = below(pieces.length);
        if (scalar(pieces[at]) && scalar(pieces[other])) [pieces[at], pieces[other]] = [pieces[other], pieces[at]];
        break;
      }
      case 2:
        if (random() < 0.2) pieces.splice(at, 1);
        break;
      default:
        if (pieces[at] === "{") pieces.splice(at + 1, 0, JSON.stringify(pick(words)) + ":" + pick(["1", '"a"', "[]", '{"__type":"Nope","value":1}']) + (pieces[at + 1] === "}" ? "" : ","));
    }
  }
  return pieces.join("");
}

// ---- MessagePack

const hex = (array) => Buffer.from(array).toString("hex");

function generateJson(depth = 4) {
  const scalar = [() => null, () => true, () => false, () => below(300) - 150, () => below(2 ** 31) * pick([1, -1]), () => random() * 1e6,
    () => 2 ** below(60), () => text(), () => "y".repeat(below(70000))][random() < 0.98 ? below(8) : 8];
  if (depth === 0 || random() < 0.4) return scalar();
  const size = random() < 0.05 ? 20 : below(5);
  if (random() < 0.5) return Array.from({ length: size }, () => generateJson(depth - 1));
  return Object.fromEntries(Array.from({ length: size }, () => [text().replace("__proto__", "p"), generateJson(depth - 1)]));
}

// What JSON.stringify prints of what was read. Nothing at all, for undefined and symbols, is a failure of ours.
async function checkToJson(text, options) {
  const serializer = serializerOf(options);
  await check("to json", "runner", "json", text, options, () => {
    const value = serializer.parse(text);
    const printed = JSON.stringify(value, null, options.pretty ? 2 : 0);
    if (printed === undefined) throw new Error(typeof value === "symbol" ? "a symbol has no JSON text" : "undefined has no JSON text");
    return printed;
  });
}

// MessagePack of a value with more than JSON has, where both sides have a form for it.
async function checkToMsgpack(text) {
  const value = serializerOf({}).parse(text);
  const seen = new Set();
  const carried = (each) => {
    if (each === null || ["string", "number", "boolean", "undefined"].includes(typeof each)) return true;
    if (typeof each !== "object") return false;
    if (Array.isArray(each) || Object.getPrototypeOf(each) === Object.prototype) {
      seen.add(each);
      return Object.values(each).every((part) => !seen.has(part) && carried(part)) && (seen.delete(each), true);
    }
    return ArrayBuffer.isView(each) || (each instanceof Date && !isNaN(each));
  };
  if (!carried(value)) return;
  await check("to msgpack", "runner", "msgpack", text, {}, () => hex(msgpack.encode(value, { maxDepth: 2000 })));
}

async function checkMsgpack(value) {
  const bytes = msgpack.encode(value);
  const json = JSON.stringify(value);
  await check("msgpack", "json", "msgpack", json, {}, () => hex(msgpack.encode(JSON.parse(json))));
  await check("msgpack", "msgpack", "json", hex(bytes), {}, () => JSON.stringify(msgpack.decode(bytes)));
  await check("msgpack", "msgpack", "msgpack", hex(bytes), {}, () => hex(bytes));
}

// ---- run

async function run() {
  for (const each of odd) await checkText("odd", each);
  for (const [each, options] of withOptions) await checkText("option", each, options);
  for (const each of odd) await checkToJson(each, {});
  for (const [each, options] of withOptions) {
    // Depth is counted by the serializer alone there.
    if (options.maxDepth === undefined) await checkToJson(each, options);
  }
  for (const type of customTypes.map((each) => each.id)) {
    for (const value of [null, 5, [], [1, 2], {}, { kind: "node", amount: 1 }, { amount: 1, __proto: 2, 1: 2 }]) {
      await checkText("custom", typed(type, value), { customTypes: true });
      for (const inner of [value, ref("a"), [ref("a")], { unit: ref("a") }, [1, { x: ref("a") }]]) {
        await checkText("custom", graph([ref("a"), ref("a")], { a: { kind: "type", type, value: inner } }), { customTypes: true });
      }
    }
  }
  for (let i = 0; i < cases; ++i) {
    const options = random() < 0.2 ? { pretty: true } : {};
    const serializer = serializerOf(options);
    const tree = generate({ cycles: false });
    const treeText = serializer.stringify(tree);
    await checkText("tree", treeText, options);
    await check("tree", "runner", "runner", treeText, options, () => treeText);
    const value = generate({ cycles: true });
    const graphText = serializer.serialize(value);
    await checkText("graph", graphText, options);
    await check("graph", "runner", "graph", graphText, options, () => graphText);
    await checkText("depth", random() < 0.5 ? treeText : graphText, { maxDepth: below(16) });
    await checkText("mutated", mutated(random() < 0.5 ? treeText : graphText), {});
    await checkText("pattern", typed("RegExp", { pattern: pattern(), flags: pick(["", "g", "u", "gg"]) }), pick([{}, {}, { allowUnsafeRegExp: true }]));
    await checkText("text", typedText());
    await checkToJson(treeText, options);
    await checkToJson(graphText, options);
    await checkToMsgpack(random() < 0.5 ? treeText : graphText);
    const custom = { ...options, customTypes: true };
    const withTypes = serializerOf(custom);
    const treeOfTypes = reference(() => withTypes.stringify(generate({ cycles: false, custom: true })));
    if (treeOfTypes.output !== undefined) await checkText("custom tree", treeOfTypes.output, custom);
    const graphOfTypes = withTypes.serialize(generate({ cycles: true, custom: true }));
    await checkText("custom graph", graphOfTypes, custom);
    await checkText("custom mutated", mutated(graphOfTypes), custom);
    // From another node on, payloads are reached through themselves.
    const otherRoot = (text) => text.replace(/("root": ?\{\s*"__ref": ?"obj_)1"/, `$1${2 + below(12)}"`);
    await checkText("other root", otherRoot(graphText));
    await checkText("other root", otherRoot(graphOfTypes), custom);
    const json = generateJson();
    await checkMsgpack(json);
    const plain = JSON.stringify(json);
    await check("json", "json", "json", plain, {}, () => plain);
  }
  for (const value of [new Date(0), new Date(1), new Date(-1), new Date(17179869184000), new Date(-62135596800001), new Uint8Array(300), [undefined]]) {
    await check("msgpack", "msgpack", "msgpack", hex(msgpack.encode(value)), {}, () => hex(msgpack.encode(msgpack.decode(msgpack.encode(value)))));
  }
}

await run().catch((error) => failures.push({ name: error.message }));
peer.stdin.end();
for (const failure of failures) console.error(JSON.stringify(failure).slice(0, 4000));
console.log(`${compared} comparisons, ${bothFailed} of them failures of both, seed ${seed}: ${failures.length} disagree`);
process.exitCode = failures.length === 0 ? 0 : 1;
