// Clients that sign their calls as Runner 6 does, with node:crypto, against `cordon serve`: every algorithm, the clients
// of npm @bluelibs/runner with a header more, and whoever should not be let in.
//
//   node lanes.mjs CORDON
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { createHash, createHmac, generateKeyPairSync, sign as signWith } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const require = createRequire(process.env.CORDON_INTEROP + "/");
const { createHttpClient, createHttpSmartClient, Serializer } = require("@bluelibs/runner/node");

const program = process.argv[2];
const folder = mkdtempSync(join(tmpdir(), "cordon-lanes-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
const path = (name) => join(folder, name);

const secret = "a secret of thirty-two bytes, ok";
const pem = (key) => key.export({ type: "spki", format: "pem" });
const ed25519 = generateKeyPairSync("ed25519");
const p256 = generateKeyPairSync("ec", { namedCurve: "P-256" });
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
writeFileSync(path("rsa.pem"), pem(rsa.publicKey));

const scripts = {
  add: "export default async ({ a, b }) => a + b;",
  count: "export default async (_, { body }) => (await body.bytes()).length;",
  upload: "export default async ({ file }) => (await (await file.resolve()).stream.text());",
  open: "export default async () => 'open';",
  who: "export default async (_, { contexts }) => contexts;",
  gone: `import { TaskError } from 'cordon:task';
    export default async () => { throw new TaskError('app.errors.gone', 'It is gone', { id: 1 }, { httpCode: 410 }); };`,
  part: `export default async ({ headers, status }) => ({
    stream: (async function* () { yield 'a,b'; })(), status, headers });`,
  note: "export default async (payload) => ({ ...payload, seen: true });",
};
for (const [name, text] of Object.entries(scripts)) writeFileSync(path(`${name}.js`), text);
const task = (name) => ({ script: `${name}.js` });
const config = {
  contexts: ["app.user"],
  tasks: {
    "app.tasks.add": task("add"), "app.tasks.count": task("count"), "app.tasks.upload": task("upload"),
    "app.tasks.open": task("open"), "app.tasks.who": task("who"),
    "app.tasks.whoElse": { ...task("who"), contexts: ["app.tenant"] }, "app.tasks.nobody": { ...task("who"), contexts: [] },
    "app.tasks.gone": task("gone"), "app.tasks.part": task("part"), "app.tasks.two": task("add"),
  },
  events: { "app.events.note": task("note") },
  server: {
    listen: "127.0.0.1:0",
    auth: { token: "secret" },
    discovery: false,
    dangerouslyAllowOpenExposure: true,
    lanes: {
      "app.lanes.sums": {
        tasks: ["app.tasks.add", "app.tasks.count", "app.tasks.upload"], events: ["app.events.note"], secret,
      },
      "app.lanes.two": {
        tasks: ["app.tasks.two"], mode: "asymmetric", header: "x-lane-token",
        publicKeys: { ed: pem(ed25519.publicKey), p256: pem(p256.publicKey), rsa: { file: "rsa.pem" } },
      },
    },
  },
};
writeFileSync(path("cordon.json"), JSON.stringify(config));
const server = spawn(program, ["serve", "--config", path("cordon.json")], { stdio: ["ignore", "pipe", "pipe"] });
const errors = [];
createInterface({ input: server.stderr }).on("line", (line) => errors.push(line));
const [announced] = await once(createInterface({ input: server.stdout }), "line");
const [base] = announced.match(/https?:\S+/);

const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
const signers = {
  HS256: (text) => createHmac("sha256", secret).update(text).digest(),
  EdDSA: (text) => signWith(null, Buffer.from(text), ed25519.privateKey),
  ES256: (text) => signWith("sha256", Buffer.from(text), { key: p256.privateKey, dsaEncoding: "ieee-p1363" }),
  RS256: (text) => signWith("sha256", Buffer.from(text), rsa.privateKey),
};
const hashOf = (body) => createHash("sha256").update(body).digest("base64url");
const token = (claims, { alg = "HS256", by = alg, ...head } = {}) => {
  const now = Math.floor(Date.now() / 1000);
  const text = `${part({ alg, typ: "JWT", ...head })}.${part({ cap: "produce", iat: now, exp: now + 60, ...claims })}`;
  return `${text}.${signers[by](text).toString("base64url")}`;
};
const sums = (target, body, more = {}) =>
  ({ lane: "app.lanes.sums", kind: "rpc-task", target, hash: body && hashOf(body), ...more });

async function post(place, body, headers = {}) {
  const answer = await fetch(`${base}/${place}`, { method: "POST", headers: { "x-runner-token": "secret", ...headers }, body });
  const text = await answer.text();
  return { status: answer.status, text, headers: answer.headers, ...(text.startsWith("{") ? JSON.parse(text) : {}) };
}
const bearer = (text) => ({ authorization: `Bearer ${text}` });
async function refused(body, headers, place = "task/app.tasks.add") {
  const answer = await post(place, body, headers);
  assert.equal(answer.status, 401, answer.text);
  assert.deepEqual(answer.error, { message: "Unauthorized", code: "UNAUTHORIZED" });
}

// Calls.
const body = JSON.stringify({ input: { a: 1, b: 2 } });
assert.equal((await post("task/app.tasks.add", body, bearer(token(sums("app.tasks.add", body))))).result, 3);
const spread = JSON.stringify({ input: { a: 1, b: 2 } }, null, 2);
assert.equal((await post("task/app.tasks.add", spread, bearer(token(sums("app.tasks.add", body))))).result, 3);
assert.equal((await post("task/app.tasks.open", "{}")).result, "open");
const event = JSON.stringify({ payload: { id: 1 }, returnPayload: true });
const noted = await post("event/app.events.note", event, bearer(token(sums("app.events.note", event, { kind: "rpc-event" }))));
assert.deepEqual(noted.result, { id: 1, seen: true });

// What is streamed has no hash, or one that is not looked at.
const bytes = { "content-type": "application/octet-stream" };
assert.equal((await post("task/app.tasks.count", "12345", { ...bytes, ...bearer(token(sums("app.tasks.count"))) })).result, 5);
await refused("12345", bytes, "task/app.tasks.count");
const form = new FormData();
form.set("__manifest", JSON.stringify({ input: { file: { $runnerFile: "File", id: "f", meta: { name: "a" } } } }));
form.set("file:f", new Blob(["text"]), "a");
assert.equal((await post("task/app.tasks.upload", form, bearer(token(sums("app.tasks.upload", "other"))))).result, "text");

// The clients of npm, which know no lanes, with a header that says what they send.
for (const create of [createHttpClient, createHttpSmartClient]) {
  const client = create({
    baseUrl: base, auth: { token: "secret" }, serializer: new Serializer(),
    onRequest: ({ headers }) => { headers.authorization = `Bearer ${token(sums("app.tasks.add", body))}`; },
  });
  assert.equal(await client.task("app.tasks.add", { a: 1, b: 2 }), 3);
  await assert.rejects(client.task("app.tasks.add", { a: 1, b: 3 }), /Unauthorized/);
}

// Whoever should not be let in.
const right = token(sums("app.tasks.add", body));
await refused(body, {});
await refused(body, { authorization: right });
await refused(body, { authorization: `Basic ${right}` });
await refused(body, bearer(`${right}=`));
await refused(body, bearer(right.slice(0, -2)));
await refused(body, bearer(right.split(".").slice(0, 2).join(".") + "."));
await refused(body, { ...bearer(right), "x-runner-token": "wrong" });
await refused(body.replace("2", "3"), bearer(right));
await refused("", bearer(right));
await refused(body, bearer(token(sums("app.tasks.count", body))));
await refused(body, bearer(token(sums("app.tasks.add", body, { lane: "app.lanes.two" }))));
await refused(body, bearer(token(sums("app.tasks.add", body, { kind: "rpc-event" }))));
await refused(body, bearer(token(sums("app.tasks.add", body, { cap: "consume" }))));
await refused(body, bearer(token(sums("app.tasks.add", undefined))));
const now = Math.floor(Date.now() / 1000);
await refused(body, bearer(token(sums("app.tasks.add", body, { iat: now - 100, exp: now - 40 }))));
await refused(body, bearer(token(sums("app.tasks.add", body, { iat: now + 100, exp: now + 160 }))));
await refused(body, bearer(token(sums("app.tasks.add", body, { exp: undefined }))));
for (const alg of ["none", "HS512", "RS256"]) await refused(body, bearer(token(sums("app.tasks.add", body), { alg, by: "HS256" })));
await refused(body, bearer(token(sums("app.tasks.add", body), { typ: "at+jwt" })));
await refused(body, bearer(token(sums("app.tasks.add", body), { crit: ["x"], x: 1 })));
await refused(body, bearer(token(sums("app.tasks.add", body, { pad: "x".repeat(9000) }))));

// Keys by their ids, in a header of the lane's own.
const two = (alg, kid, more) => ({
  "x-lane-token": token({ lane: "app.lanes.two", kind: "rpc-task", target: "app.tasks.two", hash: hashOf(body) }, { alg, kid, ...more }),
});
for (const [alg, kid] of [["EdDSA", "ed"], ["ES256", "p256"], ["RS256", "rsa"]]) {
  assert.equal((await post("task/app.tasks.two", body, two(alg, kid))).result, 3, alg);
  await refused(body, two(alg, "other"), "task/app.tasks.two");
  await refused(body, two(alg, undefined), "task/app.tasks.two");
  await refused(body, { authorization: `Bearer ${two(alg, kid)["x-lane-token"]}` }, "task/app.tasks.two");
}
await refused(body, two("EdDSA", "p256"), "task/app.tasks.two");
// A public key is no secret, though everybody has it.
signers.forged = (text) => createHmac("sha256", pem(rsa.publicKey)).update(text).digest();
await refused(body, two("HS256", "rsa", { by: "forged" }), "task/app.tasks.two");

// Clients are not told why, and the log is.
const isTold = async (why) => {
  for (let i = 0; i < 100 && !errors.some((line) => line.includes(why)); ++i) await sleep(20);
  return errors.some((line) => line.includes(why));
};
for (const why of ["the token is of another body", "the token is of another target", "the token has expired",
  "the token is issued in the future", "the token's algorithm is not RS256"]) {
  assert.ok(await isTold(why), why);
}
assert.ok(!errors.some((line) => line.includes(secret)));

// A reload takes another secret, and the old one does not count any more.
const newer = "another secret of thirty-two byt";
config.server.lanes["app.lanes.sums"].secret = newer;
writeFileSync(path("cordon.json"), JSON.stringify(config));
signers.newer = (text) => createHmac("sha256", newer).update(text).digest();
server.kill("SIGHUP");
const renewed = async () => (await post("task/app.tasks.add", body, bearer(token(sums("app.tasks.add", body), { by: "newer" })))).status;
for (let i = 0; i < 200 && (await renewed()) !== 200; ++i) await sleep(20);
assert.equal(await renewed(), 200);
await refused(body, bearer(token(sums("app.tasks.add", body))));

// Beside lanes: no discovery, contexts of single tasks, errors with a status, streams with a head.
assert.equal((await post("discovery")).error.code, "NOT_FOUND");
const serializer = new Serializer();
const contexts = {
  "x-runner-context": serializer.stringify({ "app.user": serializer.stringify("ann"), "app.tenant": serializer.stringify("t1") }),
};
assert.deepEqual((await post("task/app.tasks.who", "{}", contexts)).result, { "app.user": "ann" });
assert.deepEqual((await post("task/app.tasks.whoElse", "{}", contexts)).result, { "app.tenant": "t1" });
assert.deepEqual((await post("task/app.tasks.nobody", "{}", contexts)).result, {});
const gone = await post("task/app.tasks.gone", "{}");
assert.equal(gone.status, 410);
assert.deepEqual(gone.error, { message: "It is gone", code: "INTERNAL_ERROR", id: "app.errors.gone", data: { id: 1 }, httpCode: 410 });
const streamed = await post("task/app.tasks.part", JSON.stringify({ input: { status: 206, headers: { "Content-Type": "text/csv", "x-rows": "1" } } }));
assert.deepEqual([streamed.status, streamed.text, streamed.headers.get("content-type"), streamed.headers.get("x-rows")],
  [206, "a,b", "text/csv", "1"]);
for (const headers of [{ "transfer-encoding": "chunked" }, { "content-length": "1" }, { connection: "close" }, { "x-a": "b\r\nc: d" }]) {
  const wrong = await post("task/app.tasks.part", JSON.stringify({ input: { status: 200, headers } }));
  assert.deepEqual([wrong.status, wrong.error.code], [500, "INTERNAL_ERROR"]);
}

// Keys are tried before anything is served.
const lane = { tasks: ["app.tasks.add"], secret };
for (const [wrong, says] of [
  [{ ...lane, secret: "short" }, /wrong\.json:\d+:\d+: server\.lanes\.l\.secret: the secret has 5 bytes/],
  [{ tasks: ["app.tasks.add"], mode: "asymmetric", publicKeys: { k: "no PEM" } }, /:\d+:\d+: server\.lanes\.l\.publicKeys\.k: the key is not in PEM/],
  [{ tasks: ["app.tasks.add"], mode: "asymmetric", publicKeys: { k: pem(generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey) } },
    /publicKeys\.k: the key is RSA of 1024 bits; it needs 2048/],
  [{ ...lane, secret: { env: "CORDON_NO_SUCH_SECRET" } }, /the environment has no CORDON_NO_SUCH_SECRET/],
  [{ ...lane, tasks: ["app.tasks.ad"] }, /there is no task "app\.tasks\.ad"/],
]) {
  writeFileSync(path("wrong.json"), JSON.stringify({ ...config, server: { ...config.server, lanes: { l: wrong } } }, null, 1));
  for (const more of [[], ["--check"]]) {
    const ended = spawnSync(program, ["serve", "--config", path("wrong.json"), ...more], { encoding: "utf8", timeout: 20_000 });
    assert.equal(ended.status, 64, ended.stderr);
    assert.match(ended.stderr, says);
    assert.ok(!ended.stderr.includes(secret));
  }
}

const ended = once(server, "exit");
server.kill("SIGTERM");
assert.deepEqual(await ended, [0, null]);
console.log("lanes: ok");
