// Node's client of HTTP/2 against `cordon serve`: every mode of the tunnel, many requests at once, bodies that stream in
// bounded memory, requests that are given up, and a server that ends.
//
//   node http2.mjs CORDON [MEGABYTES]
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http2 from "node:http2";
import https from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const [program, megabytes = "200"] = process.argv.slice(2);
const mass = Number(megabytes) << 20;
const folder = mkdtempSync(join(tmpdir(), "cordon-http2-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
const path = (name) => join(folder, name);
const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", path("key.pem")];
execFileSync("openssl", ["req", "-x509", "-days", "2", ...key, ...subject, "-out", path("certificate.pem")], { stdio: "ignore" });
const ca = readFileSync(path("certificate.pem"));

const scripts = {
  add: "export default async ({ a, b }) => a + b;",
  count: "export default async (_, { body }) => { let n = 0; for await (const piece of body) n += piece.length; return n; };",
  echo: "export default async function* (_, { body }) { for await (const piece of body) yield piece; }",
  early: "export default async () => 'early';",
  source: `export default async function* ({ bytes }) {
    const piece = new Uint8Array(65536);
    for (let sent = 0; sent < bytes; sent += piece.length) yield piece;
  }`,
  slow: `export default async (_, { body, headers }) => {
    let n = 0;
    for await (const piece of body) { n += piece.length; if (n < 65536) await new Promise((go) => setTimeout(go, 300)); }
    return n;
  };`,
  upload: `export default async ({ file }) => {
    let n = 0;
    for await (const piece of (await file.resolve()).stream) n += piece.length;
    return n;
  };`,
  wait: "export default async (_, { signal }) => new Promise((go) => signal.addEventListener('abort', () => go()));",
  fail: "export default async function* () { yield 'some'; throw new Error('no more'); }",
  headers: "export default async (_, { headers, method, url }) => ({ headers, method, url });",
};
const tasks = {};
for (const [name, text] of Object.entries(scripts)) {
  writeFileSync(path(`${name}.js`), text);
  tasks[name] = { script: `${name}.js`, timeoutMs: 60_000 };
}
const config = {
  tasks,
  server: {
    listen: "127.0.0.1:0",
    tls: { certificate: "certificate.pem", key: "key.pem" },
    auth: { token: "secret" },
    metrics: { listen: "127.0.0.1:0" },
    limits: { multipart: { fileSize: 2_000_000_000 } },
    expose: { tasks: Object.keys(tasks) },
  },
};
writeFileSync(path("cordon.json"), JSON.stringify(config));

// AddressSanitizer keeps 256 MB of what was freed, which would pass for growth.
const env = { ...process.env, ASAN_OPTIONS: `${process.env.ASAN_OPTIONS ?? ""}:quarantine_size_mb=16` };
const server = spawn(program, ["serve", "--config", path("cordon.json")], { env, stdio: ["ignore", "pipe", "pipe"] });
process.on("exit", () => server.kill("SIGKILL"));
let log = "";
server.stderr.on("data", (text) => (log += text));
const [line] = await once(createInterface({ input: server.stdout }), "line");
const origin = line.replace("127.0.0.1", "localhost").replace("/__runner", "");
const connect = (options = {}) => http2.connect(origin, { ca, ...options });
const residentMegabytes = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))[1]) >> 10;

const client = connect();
const headers = (task, more = {}) => ({
  ":method": "POST",
  ":path": `/__runner/task/${task}`,
  "x-runner-token": "secret",
  "content-type": "application/json",
  ...more,
});
const octets = { "content-type": "application/octet-stream" };
const bytesOf = async (stream) => {
  const pieces = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
};
const statusOf = async (stream) => (await once(stream, "response"))[0][":status"];
const ask = async (task, body, more = {}, on = client) => {
  const stream = on.request(headers(task, more));
  const status = statusOf(stream);
  stream.end(body);
  return { status: await status, body: (await bytesOf(stream)).toString() };
};
const json = async (task, input, more) => JSON.parse((await ask(task, JSON.stringify({ input }), more)).body).result;
const send = async (stream, bytes) => {
  const piece = Buffer.alloc(65536);
  for (let sent = 0; sent < bytes; sent += piece.length) if (!stream.write(piece)) await once(stream, "drain");
  stream.end();
};

// JSON, and what HTTP/1.1 would have said as well.
assert.equal(await json("add", { a: 1, b: 2 }), 3);
assert.equal(client.alpnProtocol, "h2");
const seen = await json("headers", {}, { "X-Custom": "1" });
assert.equal(seen.headers.host, new URL(origin).host);
assert.equal(seen.headers["x-custom"], "1");
assert.deepEqual([seen.method, seen.url], ["POST", "/__runner/task/headers"]);
assert.equal(Object.keys(seen.headers).some((name) => name.startsWith(":")), false);
assert.equal((await ask("add", "{}", { "x-runner-token": "wrong" })).status, 401);
assert.equal((await ask("add", "{}", { "x-runner-token": ["secret", "secret"] })).status, 401);
assert.equal((await ask("nothing", "{}")).status, 403);
assert.equal((await ask("add", "{")).status, 400);
assert.equal((await ask("add", Buffer.alloc(3_000_000))).status, 413);
{
  const stream = client.request({ ":method": "HEAD", ":path": "/__runner/discovery", "x-runner-token": "secret" });
  const [answer] = await once(stream, "response");
  assert.equal(answer[":status"], 200);
  assert.ok(Number(answer["content-length"]) > 0);
  assert.equal((await bytesOf(stream)).length, 0);
}

// Many at once, more than the server takes: the client waits for its turn.
const sums = await Promise.all(Array.from({ length: 500 }, (_, i) => json("add", { a: i, b: 1 })));
assert.deepEqual(sums, Array.from({ length: 500 }, (_, i) => i + 1));

// Multipart.
{
  const manifest = JSON.stringify({ input: { file: { $runnerFile: "File", id: "F1" } } });
  const part = (head, body) => Buffer.concat([Buffer.from(`--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n`), body, Buffer.from("\r\n")]);
  const body = Buffer.concat([
    part('name="__manifest"', Buffer.from(manifest)),
    part('name="file:F1"; filename="a"', Buffer.alloc(5_000_000, "x")),
    Buffer.from("--b--\r\n"),
  ]);
  const answer = await ask("upload", body, { "content-type": "multipart/form-data; boundary=b" });
  assert.deepEqual(JSON.parse(answer.body), { ok: true, result: 5_000_000 });
}

// Both ways at once: an answer that begins while the request goes on.
{
  const stream = client.request(headers("echo", octets));
  for (let i = 0; i < 5; ++i) {
    stream.write(`piece ${i}`);
    const [piece] = await once(stream, "data");
    assert.equal(piece.toString(), `piece ${i}`);
  }
  stream.end();
  await once(stream, "close");
  assert.equal(stream.rstCode, 0);
}

// An answer that does not wait for the body: the rest is not wanted.
{
  const stream = client.request(headers("early", octets));
  stream.write(Buffer.alloc(1_000_000));
  assert.equal(JSON.parse((await bytesOf(stream)).toString()).result, "early");
  if (!stream.closed) await once(stream, "close");
  assert.equal(stream.rstCode, http2.constants.NGHTTP2_NO_ERROR);
}

// One that fails half-way ends its stream, and no other.
{
  const stream = client.request(headers("fail"));
  stream.end("{}");
  await assert.rejects(bytesOf(stream), { code: "ERR_HTTP2_STREAM_ERROR" });
  assert.equal(stream.rstCode, http2.constants.NGHTTP2_INTERNAL_ERROR);
  assert.equal(await json("add", { a: 2, b: 2 }), 4);
}

// A task that reads slowly slows its own client down, and nobody else.
{
  const slow = client.request(headers("slow", octets));
  const answer = bytesOf(slow);
  const sending = send(slow, 8 << 20);
  const began = performance.now();
  assert.equal(await json("add", { a: 3, b: 3 }), 6);
  assert.equal(JSON.parse((await ask("count", Buffer.alloc(4 << 20), octets)).body).result, 4 << 20);
  assert.ok(performance.now() - began < 3_000);
  await sending;
  assert.equal(JSON.parse((await answer).toString()).result, 8 << 20);
}

// Large bodies, up and down, in memory that does not grow with them.
{
  const before = residentMegabytes();
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, residentMegabytes())), 20);
  const up = client.request(headers("count", octets));
  const counted = bytesOf(up);
  await send(up, mass);
  assert.equal(JSON.parse((await counted).toString()).result, mass);

  const down = client.request(headers("source"));
  down.end(JSON.stringify({ input: { bytes: mass } }));
  let size = 0;
  for await (const piece of down) size += piece.length;
  assert.equal(size, mass);

  // A client that reads nothing: what it does not take is not made.
  const unread = client.request(headers("source"));
  unread.end(JSON.stringify({ input: { bytes: mass } }));
  await once(unread, "response");
  await sleep(300);
  assert.equal(await json("add", { a: 4, b: 4 }), 8);
  unread.close(http2.constants.NGHTTP2_CANCEL);
  clearInterval(watch);
  assert.ok(most - before < 60, `${before} MB grew to ${most} MB`);
}

// Requests that are given up: by stream, and by connection.
const metrics = async () => {
  const at = /http:\/\/127\.0\.0\.1:\d+/.exec(log)?.[0];
  const text = await (await fetch(`${at}/metrics`)).text();
  const figure = (name) => Number(new RegExp(`^${name} (\\d+)`, "m").exec(text)?.[1]);
  // Executions that wait may be put to sleep.
  const running = ["running", "asleep"].map((state) => figure(`cordon_sandboxes{state="${state}"}`)).reduce((a, b) => a + b);
  return { running, aborted: figure("cordon_http_aborted_total") };
};
const eventually = async (condition) => {
  for (let i = 0; i < 200; ++i, await sleep(20)) if (await condition()) return;
  assert.fail(`never: ${condition}`);
};
await eventually(async () => (await metrics()).running === 0);
{
  const before = (await metrics()).aborted;
  const other = connect();
  const streams = [client, client, other, other].map((on) => on.request(headers("wait")));
  for (const stream of streams) stream.on("error", () => {}).end("{}");
  await eventually(async () => (await metrics()).running === 4);
  streams[0].close(http2.constants.NGHTTP2_CANCEL);
  await eventually(async () => (await metrics()).running === 3);
  other.destroy();
  await eventually(async () => (await metrics()).running === 1);
  streams[1].close(http2.constants.NGHTTP2_CANCEL);
  await eventually(async () => (await metrics()).running === 0);
  assert.equal((await metrics()).aborted, before + 4);
  assert.equal(await json("add", { a: 5, b: 5 }), 10);
}

// A client that opens and gives up, over and over.
{
  const rapid = connect();
  const goaway = once(rapid, "goaway");
  rapid.on("error", () => {});
  for (let i = 0; i < 2_000 && !rapid.closed && !rapid.destroyed; ++i) {
    const stream = rapid.request(headers("wait"));
    stream.on("error", () => {}).end("{}");
    stream.close(http2.constants.NGHTTP2_CANCEL);
    if (i % 20 === 0) await sleep(1);
  }
  const [code] = await goaway;
  assert.equal(code, http2.constants.NGHTTP2_ENHANCE_YOUR_CALM);
  rapid.destroy();
  await eventually(async () => (await metrics()).running === 0);
}

// HTTP/1.1 is spoken with those who want it.
for (const ALPNProtocols of [["http/1.1"], undefined]) {
  const agent = new https.Agent({ ca, ALPNProtocols });
  const request = https.request(`${origin}/__runner/task/add`, { method: "POST", agent, headers: headers1() });
  request.end(JSON.stringify({ input: { a: 1, b: 1 } }));
  const [response] = await once(request, "response");
  assert.equal(response.httpVersion, "1.1");
  assert.equal(JSON.parse((await bytesOf(response)).toString()).result, 2);
  agent.destroy();
}
function headers1() {
  return { "x-runner-token": "secret", "content-type": "application/json" };
}

// The end: what is under way is finished, and the client is told.
{
  const stream = client.request(headers("echo", octets));
  stream.write("before");
  assert.equal((await once(stream, "data"))[0].toString(), "before");
  const goaway = once(client, "goaway");
  server.kill("SIGTERM");
  const [code] = await goaway;
  assert.equal(code, 0);
  stream.end(" and after");
  assert.equal((await bytesOf(stream)).toString(), " and after");
  const [status] = await once(server, "exit");
  assert.equal(status, 0, log);
}
console.log("HTTP/2 is fine");
