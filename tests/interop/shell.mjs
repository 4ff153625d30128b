// `cordon call`, `cordon emit` and `cordon discover` with a tunnel of npm @bluelibs/runner (nodeExposure, unchanged) and
// with one of `cordon serve`: the same cases, and the same answers.
//
//   node shell.mjs CORDON
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventIds, ours, reference, taskIds, token } from "./shell_servers.mjs";

const require = createRequire(process.env.CORDON_INTEROP + "/");
const { Serializer } = require("@bluelibs/runner/node");
const serializer = new Serializer();
const program = process.argv[2];
const folder = mkdtempSync(join(tmpdir(), "cordon-shell-files-"));
const file = (name, content) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

function cordon(words, { input = "", environment = {} } = {}) {
  return new Promise((done) => {
    const env = { ...process.env, TOKEN: token, ...environment };
    const child = spawn(program, words, { env, stdio: ["pipe", "pipe", "pipe"] });
    const output = [];
    const errors = [];
    child.stdout.on("data", (piece) => output.push(piece));
    child.stderr.on("data", (piece) => errors.push(piece));
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    child.on("close", (exit) => {
      const bytes = Buffer.concat(output);
      done({ exit, bytes, output: bytes.toString(), errors: Buffer.concat(errors).toString() });
    });
  });
}

const with_token = ["--token-env", "TOKEN"];
const call = (url, words, options) => cordon(["call", ...with_token, url, ...words], options);
const emit = (url, words, options) => cordon(["emit", ...with_token, url, ...words], options);
const prints = (ended, output) => assert.deepEqual([ended.exit, ended.output, ended.errors], [0, output, ""]);
const says = (ended) => {
  assert.equal(ended.errors, "");
  assert.equal(ended.output.endsWith("\n"), true);
  return JSON.parse(ended.output);
};
const hash_of = (bytes) => createHash("sha256").update(bytes).digest("hex");

const rich = {
  when: new Date(0),
  map: new Map([["a", new Set([1n])]]),
  pattern: /a+/gi,
  nothing: undefined,
  numbers: [Infinity, -0.5],
  text: "line\nü\u2028",
};

const cases = {
  async "results are one line of Runner text"(url) {
    prints(await call(url, ["app.tasks.add", '{"a": 1, "b": 2}']), "3\n");
    prints(await call(url, ["app.tasks.same", '[1, {"a": null}]']), '[1,{"a":null}]\n');
    prints(await call(url + "/", ["app.tasks/with slash ü"]), '"found"\n');
    const text = serializer.stringify(rich);
    const ended = await call(url, ["app.tasks.same", text]);
    prints(ended, text + "\n");
    assert.deepEqual(serializer.parse(ended.output), rich);
    assert.deepEqual(says(await call(url, ["--json", "app.tasks.same", "[1]"])), { ok: true, result: [1] });
  },
  async "undefined is nothing"(url) {
    prints(await call(url, ["app.tasks.same"]), "");
    prints(await call(url, ["--json", "app.tasks.same"]), '{"ok":true}\n');
    prints(await call(url, ["app.tasks.same", "null"]), "null\n");
    prints(await call(url, ["--json", "app.tasks.same", "null"]), '{"ok":true,"result":null}\n');
    prints(await call(url, ["app.tasks.same", '{"__type":"Undefined","value":null}']), "");
  },
  async "inputs come from files and from standard input"(url) {
    prints(await call(url, ["app.tasks.same", "@" + file("input.json", ' {"x": [1]}\n')]), '{"x":[1]}\n');
    prints(await call(url, ["app.tasks.same", "-"], { input: '"piped"\n' }), '"piped"\n');
  },
  async "failures are the server's own"(url) {
    const failed = await call(url, ["app.tasks.fail"]);
    assert.deepEqual([failed.exit, failed.output], [1, ""]);
    assert.match(failed.errors, /^cordon call: INTERNAL_ERROR: Internal Error\n$/);
    const typed = await call(url, ["app.tasks.typed"]);
    assert.deepEqual([typed.exit, typed.output], [1, ""]);
    assert.match(typed.errors, /^cordon call: INTERNAL_ERROR \(app\.errors\.funds\): too little\\x1b\[2J\n$/);
    const told = await call(url, ["--json", "--header", "x-runner-request-id: r:1", "app.tasks.typed"]);
    assert.equal(told.exit, 1);
    assert.deepEqual(says(told), {
      ok: false,
      error: {
        code: "INTERNAL_ERROR",
        message: "too little\u001b[2J",
        status: 500,
        id: "app.errors.funds",
        data: { need: 7, since: { __type: "Date", value: "1970-01-01T00:00:00.000Z" } },
        requestId: "r:1",
      },
    });
  },
  async "who may not call is told so"(url) {
    for (const [words, status, code] of [
      [["call", url, "app.tasks.add", "{}"], 401, "UNAUTHORIZED"],
      [["emit", url, "app.events.notify"], 401, "UNAUTHORIZED"],
      [["discover", url], 401, "UNAUTHORIZED"],
      [["call", ...with_token, url, "app.tasks.unknown"], 403, "FORBIDDEN"],
      [["emit", ...with_token, url, "app.events.unknown"], 403, "FORBIDDEN"],
      [["call", ...with_token, url + "/elsewhere", "app.tasks.add"], 404, "NOT_FOUND"],
    ]) {
      const ended = await cordon([words[0], "--json", ...words.slice(1)]);
      assert.equal(ended.exit, 1, words.join(" "));
      const { error } = says(ended);
      assert.deepEqual([error.status, error.code, typeof error.requestId], [status, code, "string"], words.join(" "));
    }
    const wrong = await call(url, ["app.tasks.add"], { environment: { TOKEN: "wrong" } });
    assert.equal(wrong.exit, 1);
    assert.equal(wrong.errors, "cordon call: UNAUTHORIZED: Unauthorized\n");
    const own_header = ["call", "--header", `X-Runner-Token: ${token}`, url, "app.tasks.add", '{"a":2,"b":2}'];
    prints(await cordon(own_header), "4\n");
  },
  async "headers are sent"(url) {
    const seen = await call(url, ["--header", "X-Trace:  a b ", "app.tasks.seen", "{}"]);
    prints(seen, '{"trace":"a b","type":"application/json; charset=utf-8","length":"12"}\n');
  },
  async "what is too large is refused"(url) {
    const large = ["app.tasks.large", "100000"];
    assert.equal((await call(url, large)).output.length, 100_003);
    for (const size of ["99999", "64KiB"]) {
      const ended = await call(url, ["--max-response", size, ...large]);
      assert.deepEqual([ended.exit, ended.output], [2, ""]);
      assert.match(ended.errors, /^cordon call: too_large: /);
    }
    assert.equal((await call(url, ["--max-response", "1MiB", ...large])).exit, 0);
    // The other side's limit.
    const body = file("large.json", JSON.stringify("x".repeat(3_000_000)));
    const refused = await call(url, ["--json", "app.tasks.same", "@" + body]);
    assert.equal(refused.exit, 1);
    assert.equal(says(refused).error.code, "PAYLOAD_TOO_LARGE");
  },
  async "streams are passed on"(url) {
    const expected = Buffer.concat(Array.from({ length: 30 }, (_, i) => Buffer.alloc(50_000, 65 + (i % 26))));
    const streamed = await call(url, ["app.tasks.stream", "30"]);
    assert.deepEqual([streamed.exit, streamed.errors], [0, ""]);
    assert.equal(streamed.bytes.equals(expected), true);
    // A stream has no limit of size, and its report does not stand in it.
    const told = await call(url, ["--json", "--max-response", "10", "app.tasks.stream", "30"]);
    assert.equal(told.bytes.equals(expected), true);
    assert.deepEqual([told.exit, told.errors], [0, '{"ok":true,"bytes":1500000}\n']);
    const empty = await call(url, ["--json", "app.tasks.stream", "0"]);
    assert.deepEqual([empty.exit, empty.output, empty.errors], [0, "", '{"ok":true,"bytes":0}\n']);
  },
  async "files are uploaded"(url) {
    const text = file("a text.TXT", "hello");
    const bytes = Buffer.alloc(3_000_000, "x");
    const binary = file("large.bin", bytes);
    const described = (name, type, content) => ({
      name,
      type,
      size: content.length,
      bytes: content.length,
      hash: hash_of(content),
    });
    const one = described("a text.TXT", "text/plain", "hello");
    const two = described("large.bin", "application/octet-stream", bytes);
    const upload = async (...words) => says(await call(url, ["--json", "app.tasks.upload", ...words])).result;
    assert.deepEqual(await upload("--file", `.=${text}`), one);
    assert.deepEqual(await upload("--file", `file=${text}`), { file: one });
    assert.deepEqual(await upload("--file", `files.0=${text}`, "--file", `files.1.content=${binary}`), {
      files: [one, { content: two }],
    });
    assert.deepEqual(await upload('{"note":"n","a.b":1,"list":[1]}', "--file", `a\\.c.d=${text}`, "--file", `list.1=${binary}`), {
      note: "n",
      "a.b": 1,
      list: [1, two],
      "a.c": { d: one },
    });
    const empty = { ...described("empty.json", "application/json", ""), size: 0 };
    assert.deepEqual(await upload("--file", `b.c=${file("empty.json", "")}`, "--file", `d=${text}`), {
      b: { c: empty },
      d: one,
    });
  },
  async "duplex streams go both ways"(url) {
    const bytes = Buffer.from(Array.from({ length: 700_000 }, (_, i) => (i * i) % 251));
    const sent = file("bytes.bin", bytes);
    prints(await call(url, ["app.tasks.count", "--stream-in", sent]), "700000\n");
    prints(await call(url, ["app.tasks.count", "--stream-in", "-"], { input: bytes }), "700000\n");
    for (const from of [sent, "-"]) {
      const back = await call(url, ["--json", "app.tasks.echo", "--stream-in", from], { input: bytes });
      assert.equal(back.bytes.equals(bytes), true);
      assert.deepEqual([back.exit, back.errors], [0, '{"ok":true,"bytes":700000}\n']);
    }
  },
  async "events are emitted"(url) {
    prints(await emit(url, ["app.events.notify", '{"id": 1}']), "");
    prints(await emit(url, ["--json", "app.events.notify", '{"id": 1}']), '{"ok":true}\n');
    prints(await emit(url, ["--return-payload", "app.events.notify", '{"id": 1}']), '{"id":1,"seen":true}\n');
    const told = await emit(url, ["--json", "--return-payload", "app.events.notify", "-"], { input: '{"id":2}' });
    assert.deepEqual(says(told), { ok: true, result: { id: 2, seen: true } });
    prints(await emit(url, ["--return-payload", "app.events.notify"]), "");
  },
  async "discovery lists what there is"(url) {
    const lines = [...taskIds.map((id) => `task ${id}\n`), ...eventIds.map((id) => `event ${id}\n`)];
    const listed = await cordon(["discover", ...with_token, url]);
    assert.deepEqual([listed.exit, listed.errors], [0, ""]);
    assert.deepEqual(listed.output.split("\n").sort(), lines.join("").split("\n").sort());
    const { ok, result } = says(await cordon(["discover", "--json", ...with_token, url]));
    assert.equal(ok, true);
    assert.deepEqual(Object.keys(result), ["enabled", "tasks", "events"]);
    assert.equal(result.enabled, true);
    assert.deepEqual(result.tasks.sort(), [...taskIds].sort());
    assert.deepEqual(result.events, eventIds);
  },
  async "a call ends at its timeout"(url) {
    const start = performance.now();
    const late = await call(url, ["--json", "--timeout", "300", "app.tasks.slow"]);
    assert.equal(late.exit, 2);
    assert.equal(says(late).error.code, "timeout");
    assert.equal(performance.now() - start < 5_000, true);
  },
};

let failures = 0;
for (const start of [reference, () => ours(program)]) {
  const server = await start();
  for (const [name, check] of Object.entries(cases)) {
    try {
      await check(server.url);
    } catch (error) {
      ++failures;
      console.log(`${server.name}: ${name}\n${error.stack}\n`);
    }
  }
  await server.close();
}
rmSync(folder, { recursive: true });
console.log(failures === 0 ? "the same of both" : `${failures} failures`);
process.exit(failures === 0 ? 0 : 1);
