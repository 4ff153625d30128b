// What Node makes of a program for `cordon run`: its log lines and its result, as that prints them.
//
//   node --experimental-vm-modules --no-warnings node_program.mjs [--input JSON] [--provider NAME=FILE]… FILE
//
// Node has no tools, no result of statements and no `input`, so they are made here, by the rules of docs/run.md. All
// else is Node's own. Names that a program of Cordon does not have are taken away, so that a program which asks for
// them goes the same way in both.
import fs from "node:fs";
import inspector from "node:inspector";
import { stripTypeScriptTypes } from "node:module";
import path from "node:path";
import { Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import util from "node:util";
import vm from "node:vm";

const { values: options, positionals } = util.parseArgs({
  options: { input: { type: "string" }, values: { type: "string" }, provider: { type: "string", multiple: true, default: [] } },
  allowPositionals: true,
});
const file = positionals[0];
const { exit } = process;
// Loads its parser while there is a WebAssembly.
if (!file.endsWith(".js")) stripTypeScriptTypes("");
new Headers();

// Whether JSON carries a value whole, so that a log line shows it as JSON.
function isJson(value, above = []) {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== "object" || above.includes(value)) return false;
  // What has a toJSON says itself what it is.
  if (typeof value.toJSON === "function") return !(value instanceof Date && Number.isNaN(value.getTime()));
  const inside = [...above, value];
  if (Array.isArray(value)) {
    return Object.keys(value).length === value.length && value.every((item) => isJson(item, inside));
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return false;
  return (
    Reflect.ownKeys(value).every((key) => typeof key === "string" && "value" in Object.getOwnPropertyDescriptor(value, key)) &&
    Object.values(value).every((item) => isJson(item, inside))
  );
}
const shown = (value) =>
  isJson(value) && !(value instanceof Date) ? JSON.stringify(value) : util.inspect(value, { breakLength: Infinity, compact: 1000, depth: 6 });

const alone = (value) => (typeof value === "string" ? value : shown(value));

const lines = [];
// As `cordon run` prints it: further lines are set in, and what could pass for a line's end is made visible.
const visible = (text) => text.replaceAll("\n", "\n    ").replace(/[\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16)}`);
const write = (level, text) => void lines.push(`[${level}] ${visible(text)}`);
const text = (items) => {
  const [format, ...rest] = items;
  if (typeof format !== "string" || !rest.length) return items.map(alone).join(" ");
  // Directives are Node's own; it would also put the values that are left behind them.
  const taken = Math.min(rest.length, (format.match(/%[sdifjoOc%]/g) ?? []).filter((directive) => directive !== "%%").length);
  return [util.format(format, ...rest.slice(0, taken)), ...rest.slice(taken).map(alone)].join(" ");
};
// `table`, `group`, `time`, `count` and their kin are Node's own, on a stream of ours.
const into = (level) => new Writable({ write: (chunk, _, done) => (write(level, String(chunk).replace(/\n$/, "")), done()) });
const own = new console.Console({ stdout: into("log"), stderr: into("warn") });
const failed = new console.Console({ stdout: into("log"), stderr: into("error") });
let indent = "";
const at = (level) => (...items) => write(level, text(items).replace(/^/gm, indent));
const indented = (call) => (...items) => {
  const from = lines.length;
  call(...items);
  for (let i = from; i < lines.length; i++) lines[i] = lines[i].replace(/^(\[\w+\] )?/gm, `$1${indent}`);
};
const console_ = Object.create(own, {});
for (const name of ["table", "time", "timeEnd", "timeLog", "count", "countReset"]) console_[name] = indented(own[name].bind(own));
console_.assert = indented(failed.assert.bind(failed));
console_.dir = (value) => at("log")(value);
for (const level of ["log", "info", "warn", "error", "debug"]) console_[level] = at(level);
console_.trace = at("error");
console_.group = console_.groupCollapsed = (...label) => {
  if (label.length) console_.log(...label);
  indent += "  ";
};
console_.groupEnd = () => void (indent = indent.slice(2));

// The rules of values that leave a program.
function outside(value, where = "") {
  if (options.values === "json") return value;
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return Array.from(value, (item, i) => (item === undefined ? null : outside(item, `${where}[${i}]`)));
  if (typeof value === "object" && [null, Object.prototype].includes(Object.getPrototypeOf(value))) {
    return Object.fromEntries(
      Object.entries(value).filter(([, item]) => item !== undefined).map(([key, item]) => [key, outside(item, `${where}.${key}`)]));
  }
  throw new Error(`may not leave: ${util.inspect(value)} at ${where}`);
}

let open = 0;  // calls that wait for their answer
const turn = () => new Promise((done) => setImmediate_(done));
const setImmediate_ = setImmediate;
async function provider(name, from) {
  const functions = await import(pathToFileURL(path.resolve(from)));
  const tools = {};
  for (const [tool, run] of Object.entries(functions)) {
    if (typeof run !== "function") continue;
    tools[tool] = async (input) => {
      const given = input === undefined ? undefined : JSON.parse(JSON.stringify(outside(input)));
      open++;
      try {
        await turn();
        const answer = await run(given);
        return answer === undefined ? undefined : JSON.parse(JSON.stringify(outside(answer)));
      } catch (error) {
        throw Object.assign(new Error(error.message), { code: "tool_error" });
      } finally {
        open--;
      }
    };
  }
  globalThis[name] = tools;
}

const parses = (source) => {
  try {
    new vm.Script(source);
    return true;
  } catch {
    return false;
  }
};

// A value that the inspector gives as text: -0, NaN, a bigint.
const plain = ({ value, unserializableValue }) =>
  unserializableValue === undefined ? value : unserializableValue.endsWith("n") ? BigInt(unserializableValue.slice(0, -1)) : Number(unserializableValue);

// What a REPL gives: the value of the last statement, with `await` at the top.
async function evaluate(expression) {
  const session = new inspector.Session();
  session.connect();
  const post = (method, parameters) =>
    new Promise((done, failed) => session.post(method, parameters, (error, answer) => (error ? failed(error) : done(answer))));
  let taken;
  globalThis.__take = (value) => void (taken = value);
  const { result, exceptionDetails } = await post("Runtime.evaluate", { expression, replMode: true, awaitPromise: true });
  const id = (exceptionDetails?.exception ?? result).objectId;
  if (id) await post("Runtime.callFunctionOn", { functionDeclaration: "function () { __take(this) }", objectId: id });
  else taken = plain(exceptionDetails?.exception ?? result);
  delete globalThis.__take;
  if (exceptionDetails) throw taken;
  return taken;
}

async function run(source, language, input) {
  const fences = [...source.matchAll(/^```(\w*)\n([^]*?)\n```$/gm)];
  if (fences.length === 1) [, language, source] = fences[0];
  if (/^(ts|typescript)$/.test(language)) source = stripTypeScriptTypes(source, { mode: "transform" });
  const call = (value) => (typeof value === "function" ? value(input) : value);

  if (/^(import|export)\b/m.test(source) && !parses(`async () => {${source}\n}`)) {
    const linked = new vm.SourceTextModule(source, { identifier: file });
    await linked.link(async (name, _, { attributes }) => {
      const content = fs.readFileSync(path.join(path.dirname(file), name), "utf8");
      if (attributes.type === "text") return new vm.SyntheticModule(["default"], function () { this.setExport("default", content); });
      if (attributes.type === "json") return new vm.SyntheticModule(["default"], function () { this.setExport("default", JSON.parse(content)); });
      return new vm.SourceTextModule(content, { identifier: name });
    });
    await linked.evaluate();
    return call(linked.namespace.default);
  }
  const only = source.replace(/;\s*$/, "");
  if (/^\s*(\/\/.*\n\s*)*(async\s+)?(function\b|\(|\w+\s*=>)/.test(only) && parses(`(${only}\n)`)) {
    const value = await evaluate(`(${only}\n)`);
    return call(value);
  }
  if (!parses(`async () => {${source}\n}`) || !/^\s*return\b|[;{})]\s*return\b/m.test(source) || parses(`{${source}\n}`)) return evaluate(source);
  try {
    return await evaluate(source);
  } catch (error) {
    // A `return` at the top.
    if (!/Illegal return/.test(error?.message)) throw error;
    return new Function(`return (async () => {${source}\n})()`)();
  }
}

const rejected = new Map();
process.on("unhandledRejection", (reason, promise) => rejected.set(promise, reason));
process.on("rejectionHandled", (promise) => rejected.delete(promise));

for (const pair of options.provider) {
  const [name, from] = pair.split("=");
  await provider(name, from);
}
const input = options.input === undefined ? undefined : JSON.parse(options.input);
if (input !== undefined) globalThis.input = input;
Object.defineProperty(globalThis, "console", { value: console_, writable: true, configurable: true });
const source = fs.readFileSync(file, "utf8");
const missing = ["fetch", "process", "Buffer", "global", "require", "setImmediate", "clearImmediate", "WebSocket", "EventSource", "XMLHttpRequest",
  "Response", "Request", "FormData", "navigator", "localStorage", "sessionStorage", "WebAssembly", "Intl", "Storage", "BroadcastChannel",
  "MessageChannel", "MessagePort"];
for (const name of missing) delete globalThis[name];

try {
  const result = await run(source, path.extname(file).slice(1), input);
  // Calls that nobody awaited are waited for, with what follows from them. Timers alone hold nothing.
  for (let quiet = 0; quiet < 3; quiet = open ? 0 : quiet + 1) await turn();
  if (rejected.size) throw rejected.values().next().value;
  if (result !== undefined) lines.push(JSON.stringify(outside(result)));
} catch (error) {
  lines.push(`error: ${util.inspect(error)}`);
}
fs.writeSync(1, lines.map((line) => line + "\n").join(""));
exit(0);
