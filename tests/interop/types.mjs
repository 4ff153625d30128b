// What `cordon types` prints, under npm's compiler: the declarations compile as they are, take what the schemas take,
// and refuse what they can refuse. Of generated schemas, each value that our own checker accepts is accepted.
//
//   node types.mjs CORDON [SCHEMAS [SEED]]
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";

const require = createRequire(process.env.CORDON_INTEROP + "/");
const ts = require("typescript");
const [cordon, count = "150", seed = String(Date.now() % 1e6)] = process.argv.slice(2);
console.log(`${count} schemas, seed ${seed}`);

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "cordon-types-"));
process.on("exit", () => fs.rmSync(folder, { recursive: true }));
const write = (name, text) => fs.writeFileSync(path.join(folder, name), text);

// The tools of one provider, by their schemas; a configuration with them.
const configure = (tools, provider = "p") => {
  const names = Object.keys(tools);
  write("tools.mjs", names.map((name, i) => `const f${i} = () => 1;\nexport { f${i} as ${JSON.stringify(name)} };`).join("\n"));
  write("cordon.json", JSON.stringify({ providers: { [provider]: { script: "tools.mjs", tools } } }));
};
const declarations = () =>
  execFileSync(cordon, ["types", "--config", path.join(folder, "cordon.json")], { encoding: "utf8", maxBuffer: 1 << 28 });

// The library is read once.
const library = new Map();
const options = { strict: true, noEmit: true, target: ts.ScriptTarget.ES2022, types: [], lib: ["lib.es2022.d.ts"] };
const host = ts.createCompilerHost(options);
// What the compiler says of files, by name: [[line, message], …].
const compile = (files) => {
  const program = ts.createProgram(Object.keys(files), options, {
    ...host,
    getSourceFile: (name, target) => {
      if (name in files) return ts.createSourceFile(name, files[name], target);
      if (!library.has(name)) library.set(name, host.getSourceFile(name, target));
      return library.get(name);
    },
    fileExists: (name) => name in files || host.fileExists(name),
    readFile: (name) => files[name] ?? host.readFile(name),
    writeFile: () => assert.fail("nothing is written"),
  });
  const found = Object.fromEntries(Object.keys(files).map((name) => [name, []]));
  for (const one of ts.getPreEmitDiagnostics(program)) {
    const text = ts.flattenDiagnosticMessageText(one.messageText, "\n");
    assert(one.file && one.file.fileName in found, text);
    found[one.file.fileName].push([one.file.getLineAndCharacterOfPosition(one.start).line, text]);
  }
  return found;
};
const compiled = (types, lines) => {
  const found = compile({ "tools.d.ts": types, "use.ts": lines.join("\n") });
  assert.deepEqual(found["tools.d.ts"], [], types);
  return found["use.ts"];
};

// By hand: [schema, what it takes, what it refuses].
const object = (properties, more = {}) => ({ type: "object", properties, ...more });
const node = object({ value: { type: "number" }, next: { $ref: "#/$defs/node" } }, { required: ["value"] });
const cases = [
  [true, ["1", "undefined", "{}"], []],
  [false, [], ["1", "undefined"]],
  [{ type: "integer" }, ["1"], ['"1"', "null"]],
  [{ type: ["string", "null"] }, ['"a"', "null"], ["1"]],
  [{ enum: ["a", 1, null, { k: [1] }] }, ['"a"', "1", "null", "{ k: [1] }"], ['"b"', "2", "{ k: [2] }", "{ k: [] }"]],
  [{ const: -1.5 }, ["-1.5"], ["1.5"]],
  [object({ a: { type: "string" } }, { additionalProperties: false }), ["{}", '{ a: "" }'], ['{ b: "" }', "{ a: 1 }"]],
  [object({ a: { type: "string" } }, { required: ["a"] }), ['{ a: "", b: 1 }'], ["{}", "{ b: 1 }"]],
  [object({ a: { type: "string" } }, { additionalProperties: { type: "number" } }), ['{ a: "", b: 1 }'], ["{ a: 1.5, b: true }"]],
  [{ type: "object", additionalProperties: { type: "number" } }, ["{ a: 1 }"], ['{ a: "" }']],
  [{ type: "object", additionalProperties: false }, ["{}"], ["{ a: 1 }"]],
  [{ type: "array", items: { type: "string" } }, ["[]", '["a"]'], ["[1]", "{}"]],
  [
    { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], minItems: 1, items: false },
    ['["a"]', '["a", 1]'],
    ["[]", '["a", 1, 2]', "[1]"],
  ],
  [{ type: "array", prefixItems: [{ type: "string" }], items: { type: "number" } }, ["[]", '["a", 1, 2]'], ['["a", "b"]']],
  [{ anyOf: [{ type: "string" }, { type: "number" }] }, ["1", '"a"'], ["true"]],
  [{ allOf: [object({ a: { type: "string" } }, { required: ["a"] }), object({ b: { type: "number" } }, { required: ["b"] })] }, ['{ a: "", b: 1 }'], ['{ a: "" }', "{ b: 1 }"]],
  [
    object({ kind: { type: "string" } }, { anyOf: [{ required: ["a"] }, { required: ["b"] }] }),
    ['{ kind: "", a: 1 }', "{ b: 1 }"],
    ["{}", "{ kind: 1, a: 1 }"],
  ],
  [{ $ref: "#/$defs/node", $defs: { node } }, ["{ value: 1, next: { value: 2 } }"], ["{ value: 1, next: {} }"]],
  [object({ value: { type: "number" }, all: { type: "array", items: { $ref: "#" } } }), ["{ all: [{ value: 1 }] }"], ['{ all: [{ value: "" }] }']],
  [{ $ref: "#n", $defs: { x: { $anchor: "n", type: "null" } } }, ["null"], ["1"]],
  [{ anyOf: [{ $ref: "#" }, { type: "null" }] }, ["null", "1"], []],
  [{ $ref: "#/$defs/a", $defs: { a: { anyOf: [{ $ref: "#/$defs/b" }, { type: "null" }] }, b: { allOf: [{ $ref: "#/$defs/a" }] } } }, ["null"], []],
  [
    { type: "array", items: { anyOf: ["Promise", "Array", "string", "any", "unknown", "never", "intrinsic", "keyof", "class"].map((name) => ({ $ref: "#/$defs/" + name })) },
      $defs: Object.fromEntries(["Promise", "Array", "string", "any", "unknown", "never", "intrinsic", "keyof", "class"].map((name, i) => [name, { const: i }])) },
    ["[0, 8]"],
    ["[9]"],
  ],
  [
    object(Object.fromEntries(["new", "get", "set", "readonly", "delete", "constructor", "__proto__", "0", "a-b", "größe", "", "*/", "\"", "\u2028", "\ud800"].map((key) => [key, { type: "number", description: "*/ " + key }])), { additionalProperties: false }),
    ["{ new: 1, get: 1, readonly: 1, 0: 1, \"a-b\": 1, größe: 1 }"],
    ["{ other: 1 }"],
  ],
  [
    { type: "object", allOf: Array.from({ length: 30 }, (_, i) => ({ anyOf: [object({ ["a" + i]: { const: 1 } }, { required: ["a" + i] }), object({ ["b" + i]: { const: 1 } }, { required: ["b" + i] })] })) },
    [],
    ["1"],
  ],
];
const tools = {};
const lines = [];
const wrong = [];
cases.forEach(([schema, right, refused], i) => {
  tools["t" + i] = { input: schema, output: schema, description: "*/ declare function evil(): void; /* @ts-expect-error" };
  for (const text of right) lines.push(`p.t${i}(${text});`);
  for (const text of refused) wrong.push(lines.push(`p.t${i}(${text});`) - 1);
});
configure(tools);
const found = compiled(declarations(), lines);
const places = new Set(found.map(([line]) => line));
lines.forEach((line, i) => {
  const is_wrong = wrong.includes(i);
  assert.equal(places.has(i), is_wrong, `${line} ${is_wrong ? "is taken" : "is refused: " + found.find(([at]) => at === i)?.[1]}`);
});

// Names of tools and of the namespace, and what stands at the top.
const odd = ["default", "class", "Promise", "Array", "any", "undefined", "globalThis", "await", "async", "type", "a-b", "a_b", "1", "→", "then"];
configure(Object.fromEntries(odd.map((name) => [name, name === "then" ? {} : { input: { type: "number" } }])), "module");
const text = declarations();
assert.deepEqual(compile({ "tools.d.ts": text })["tools.d.ts"], [], text);
const source = ts.createSourceFile("tools.d.ts", text, ts.ScriptTarget.ES2022);
assert.equal(source.statements.length, 1);
assert.equal(source.statements[0].kind, ts.SyntaxKind.ModuleDeclaration);
assert.match(text, /function a_b\(input: number\)[^]*function a_b__2\(input: number\)/);
assert.match(text, /function then\(input\?: unknown\): Promise<unknown>;/);

// Generated.
let state = (Number(seed) * 2654435761) % 4294967296;
const random = (n) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 4294967296) * n);
};
const pick = (list) => list[random(list.length)];
const repeat = (n, make) => Array.from({ length: n }, make);
const keys = ["a", "b", "c-d", "x"];
const value = (depth) => {
  const kind = random(depth > 0 ? 8 : 5);
  if (kind < 5) return pick([null, true, false, 0, 1, 2.5, "", "a", "b"]);
  if (kind < 6) return repeat(random(4), () => value(depth - 1));
  return Object.fromEntries(repeat(random(4), () => [pick(keys), value(depth - 1)]));
};
const ref = () => ({ $ref: pick(["#", "#/$defs/a", "#/$defs/b", "#c", "#/$defs/missing/x"].slice(0, 4)) });
const schema = (depth) => {
  if (depth <= 0) return pick([true, true, {}, ref(), { type: "string" }, { type: "number" }, { const: value(1) }]);
  const made = {};
  if (random(2)) made.type = random(3) ? pick(["object", "array", "string", "number", "boolean", "null"]) : ["object", pick(["array", "string", "null"])];
  if (!random(3)) made.properties = Object.fromEntries(repeat(1 + random(3), () => [pick(keys), schema(depth - 1)]));
  if (!random(4)) made.required = [...new Set(repeat(1 + random(2), () => pick(keys)))];
  if (!random(4)) made.additionalProperties = schema(depth - 1);
  if (!random(8)) made.additionalProperties = false;
  if (!random(8)) made.patternProperties = { [pick(["a", "^b", "."])]: schema(depth - 1) };
  if (!random(4)) made.items = schema(depth - 1);
  if (!random(6)) made.prefixItems = repeat(1 + random(2), () => schema(depth - 1));
  if (!random(6)) made.minItems = random(3);
  if (!random(8)) made.enum = repeat(1 + random(3), () => value(2));
  if (!random(5)) made[pick(["anyOf", "oneOf", "allOf"])] = repeat(1 + random(3), () => schema(depth - 1));
  if (!random(10)) Object.assign(made, ref());
  if (!random(10)) made.not = schema(depth - 1);
  if (!random(10)) made.if = schema(depth - 1), (made.then = schema(depth - 1));
  return made;
};
const generated = {};
for (let i = 0; i < Number(count); ++i) {
  const whole = schema(3);
  whole.$defs = { a: schema(2), b: schema(2), c: { $anchor: "c", ...schema(1) } };
  generated["t" + i] = { input: whole };
}
configure(generated);
const values = repeat(40, () => value(3));
write("try.js", `const all = [];
for (const name of Object.keys(p)) for (let i = 0; i < input.length; ++i) {
  try { await p[name](input[i]); all.push([name, i]); } catch (error) { if (error.code !== "validation_error") throw error; }
}
all`);
const output = execFileSync(
  cordon,
  ["run", "--timeout", "60000", "--config", path.join(folder, "cordon.json"), "--input", JSON.stringify(values), path.join(folder, "try.js")],
  { encoding: "utf8", maxBuffer: 1 << 28 },
);
const accepted = JSON.parse(output);
console.log(`${accepted.length} of ${Number(count) * values.length} values are right`);
assert(accepted.length > 0);
const types = declarations();
const uses = accepted.map(([name, i]) => `p.${name}(${JSON.stringify(values[i])});`);
for (const [line, message] of compiled(types, uses)) {
  const [name] = accepted[line];
  assert.fail(`${uses[line]}\n${message}\n${JSON.stringify(generated[name].input)}`);
}
