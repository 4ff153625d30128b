// The clients of npm @bluelibs/runner against our tunnel, unchanged: every client, every mode.
//
//   node tunnel.mjs TUNNEL_PEER
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";

const require = createRequire(process.env.CORDON_INTEROP + "/");
const node = require("@bluelibs/runner/node");
const { createHttpClient, createHttpMixedClient, createHttpSmartClient, createNodeFile, Serializer, r } = node;

const peer = spawn(process.argv[2], { stdio: ["pipe", "pipe", "inherit"] });
const [baseUrl] = await once(createInterface({ input: peer.stdout }), "line");
const serializer = new Serializer();
const config = { baseUrl, auth: { token: "secret" }, serializer };

const bytesOf = async (stream) => {
  const pieces = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
};

const rich = () => ({
  when: new Date(0),
  map: new Map([["a", new Set([1n, 2n])]]),
  pattern: /a+/gi,
  nothing: undefined,
  numbers: [Infinity, -Infinity, 0.5],
  bytes: new Uint8Array([1, 2, 255]),
});

for (const [name, client] of Object.entries({
  plain: createHttpClient(config),
  smart: createHttpSmartClient(config),
  mixed: createHttpMixedClient(config),
})) {
  assert.equal(await client.task("app.tasks.add", { a: 1, b: 2 }), 3, name);
  assert.deepEqual(await client.task("app.tasks.same", rich()), rich(), name);
  assert.equal(await client.task("app.tasks.same"), undefined, name);
  assert.deepEqual(await client.task("app.tasks.same", [1, [2]]), [1, [2]], name);
  assert.equal(await client.task("app.tasks/with slash", {}), "found", name);
  await client.event("app.events.notify", { id: 1 });
  assert.deepEqual(await client.eventWithResult("app.events.notify", { id: 1 }), { id: 1, seen: true }, name);
  await assert.rejects(client.task("app.tasks.fail", {}), (error) => {
    assert.equal(error.message.includes("a secret"), false, name);
    assert.match(error.message, /Internal Error/, name);
    return true;
  });
  await assert.rejects(client.task("app.tasks.unknown", {}), /not exposed/, name);
}

// Shared nodes, of which a tree would be a thousand times as large, come back as they are.
for (const create of [createHttpClient, createHttpSmartClient, createHttpMixedClient]) {
  const answer = await create(config).task("app.tasks.doubled", { levels: 16 });
  let [node, levels] = [answer, 0];
  for (; node.a; node = node.a, ++levels) assert.equal(node.a, node.b);
  assert.equal(levels, 16);
  assert.deepEqual(node.when, new Date(0));
}
{
  const response = await fetch(`${baseUrl}/task/app.tasks.doubled`, {
    method: "POST",
    headers: { "x-runner-token": "secret" },
    body: JSON.stringify({ input: { levels: 16 } }),
  });
  const text = await response.text();
  assert.equal(text.startsWith('{"__graph":true'), true, text.slice(0, 100));
  assert.equal(text.length < 10_000, true);
}

// Wrong tokens.
for (const create of [createHttpClient, createHttpSmartClient, createHttpMixedClient]) {
  await assert.rejects(create({ ...config, auth: { token: "wrong" } }).task("app.tasks.add", {}), /Unauthorized/);
}

// Typed errors come back as what they are.
{
  const Funds = r.error("app.errors.funds").build();
  const errorRegistry = new Map([["app.errors.funds", Funds]]);
  for (const create of [createHttpClient, createHttpSmartClient, createHttpMixedClient]) {
    await assert.rejects(create({ ...config, errorRegistry }).task("app.tasks.typed", { missing: 7 }), (error) => {
      assert.equal(Funds.is(error), true);
      assert.deepEqual(error.data, { missing: 7 });
      return true;
    });
  }
}

// Uploads: buffers and streams, several files, names that need care.
{
  const large = Buffer.alloc(3_000_000, "x");
  for (const client of [createHttpSmartClient(config), createHttpMixedClient(config)]) {
    const input = {
      when: "kept",
      files: [
        createNodeFile({ name: 'a "b".txt', type: "text/plain", size: 5 }, { buffer: Buffer.from("hello") }, "F1"),
        createNodeFile({ name: "large.bin" }, { stream: Readable.from([large, large]) }, "F2"),
      ],
    };
    const answer = await client.task("app.tasks.upload", input);
    assert.deepEqual(answer.sizes, [5, 6_000_000]);
    assert.deepEqual(answer.input.files[0], { name: 'a "b".txt', type: "text/plain", size: 5 });
    assert.equal(answer.input.files[1].name, "large.bin");
    assert.equal(answer.input.when, "kept");
    const file = createNodeFile({ name: "a" }, { buffer: large }, "F3");
    const back = await client.task("app.tasks.echoFile", { file });
    assert.equal((await bytesOf(back)).equals(large), true);
  }
}

// FormData of the platform.
{
  const form = new FormData();
  form.append("__manifest", JSON.stringify({ input: { file: { $runnerFile: "File", id: "é\"1", meta: { name: "n" } } } }));
  form.append("file:é\"1", new Blob(["héllo"], { type: "text/plain" }), "naïve.txt");
  const response = await fetch(`${baseUrl}/task/app.tasks.upload`, {
    method: "POST",
    headers: { "x-runner-token": "secret" },
    body: form,
  });
  assert.deepEqual(await response.json(), {
    ok: true,
    result: { sizes: [6], input: { file: { name: "n", type: "text/plain" } } },
  });
}

// Duplex.
for (const client of [createHttpSmartClient(config), createHttpMixedClient(config)]) {
  const pieces = Array.from({ length: 50 }, (_, i) => Buffer.alloc(70_000, i));
  const echoed = await client.task("app.tasks.echo", Readable.from(pieces));
  assert.equal((await bytesOf(echoed)).equals(Buffer.concat(pieces)), true);
}

// Contexts travel in their header.
{
  const tenant = r.asyncContext("app.ctx.tenant").build();
  for (const create of [createHttpClient, createHttpSmartClient, createHttpMixedClient]) {
    const client = create({ ...config, contexts: [tenant] });
    const seen = await tenant.provide({ id: "t1", since: new Date(0) }, () => client.task("app.tasks.context", {}));
    assert.deepEqual(seen, { "app.ctx.tenant": { id: "t1", since: new Date(0) } });
  }
}

// A client that gives up.
await assert.rejects(createHttpClient({ ...config, timeoutMs: 100 }).task("app.tasks.never", {}));
assert.equal(await createHttpClient(config).task("app.tasks.add", { a: 2, b: 2 }), 4);

peer.stdin.end();
const [code] = await once(peer, "exit");
assert.equal(code, 0);
console.log("all clients are fine");
