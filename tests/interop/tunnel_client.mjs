// TunnelClient, our client in C++, with a tunnel of npm @bluelibs/runner (nodeExposure), unchanged, and with `cordon
// serve`: the same checks for both.
//
//   node tunnel_client.mjs TUNNEL_CLIENT_PEER CORDON
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";

const require = createRequire(process.env.CORDON_INTEROP + "/");
const { r, run, globals } = require("@bluelibs/runner");
const { nodeExposure, useExposureContext } = require("@bluelibs/runner/node");

const [peer, cordon] = process.argv.slice(2);
const check = (name, url) =>
  new Promise((done) =>
    execFile(peer, [url], { timeout: 60_000 }, (error, output) => {
      assert.equal(error, null, `${name}: ${output}`);
      assert.match(output, /^\d+ checks\n$/);
      done();
    }),
  );

async function withNpm() {
  const task = (id, body) => r.task(id).run(body).build();
  const Funds = r.error("app.errors.funds").build();
  const tenant = r.asyncContext("app.ctx.tenant").build();
  const notify = r.event("app.events.notify").build();
  const onNotify = r
    .hook("app.hooks.notify")
    .on(notify)
    .run(async (event) => {
      event.data.seen = true;
    })
    .build();
  const bytesOf = async (stream) => {
    let bytes = 0;
    for await (const piece of stream) bytes += piece.length;
    return bytes;
  };
  const tasks = [
    task("app.tasks.add", async ({ a, b }) => a + b),
    task("app.tasks.same", async (input) => input),
    task("app.tasks/with slash", async () => "found"),
    task("app.tasks.fail", async () => {
      throw new Error("a secret");
    }),
    task("app.tasks.typed", async (input) => Funds.throw(input)),
    task("app.tasks.context", async () => tenant.use()),
    task("app.tasks.requestId", async () => useExposureContext().headers["x-runner-request-id"]),
    task("app.tasks.upload", async ({ files, when }) => {
      const sizes = [];
      for (const file of files) sizes.push(await bytesOf((await file.resolve()).stream));
      return { sizes, names: files.map(({ name }) => name), when };
    }),
    task("app.tasks.stream", async () => Readable.from([Buffer.from("hello "), Buffer.from("world")])),
    task("app.tasks.echo", async () =>
      Readable.from(
        (async function* (stream) {
          for await (const piece of stream) yield piece;
        })(useExposureContext().req),
      ),
    ),
    task("app.tasks.never", () => new Promise((done) => setTimeout(done, 60_000).unref())),
  ];
  const served = { mode: "server", transport: "http", tasks: tasks.map(({ id }) => id), events: [notify.id] };
  const tunnel = r.resource("app.tunnel").tags([globals.tags.tunnel]).init(async () => served).build();
  const exposure = nodeExposure.with({
    http: { basePath: "/__runner", listen: { port: 0 }, auth: { token: "secret" } },
  });
  const app = r
    .resource("app")
    .register([tunnel, exposure, Funds, tenant, notify, onNotify, ...tasks])
    .build();
  const runtime = await run(app, { logs: { printThreshold: null }, errorBoundary: false, shutdownHooks: false });
  const { server } = runtime.getResourceValue(nodeExposure);
  await check("npm", `http://127.0.0.1:${server.address().port}/__runner`);
  // One that never answers is still under way, and would be waited for.
  server.closeAllConnections();
  server.close();
}

async function withCordon() {
  const folder = mkdtempSync(join(tmpdir(), "tunnel_client-"));
  const scripts = {
    add: "export default ({ a, b }) => a + b;",
    same: "export default (input) => input;",
    slash: "export default () => 'found';",
    fail: "export default () => { throw new Error('a secret'); };",
    typed:
      "import { TaskError } from 'cordon:task';\n" +
      "export default (input) => { throw new TaskError('app.errors.funds', 'not enough', input); };",
    context: "export default (input, { contexts }) => contexts['app.ctx.tenant'];",
    requestId: "export default (input, { headers }) => headers['x-runner-request-id'];",
    upload:
      "export default async ({ files, when }) => {\n" +
      "  const sizes = [];\n" +
      "  for (const file of files) sizes.push((await (await file.resolve()).stream.bytes()).length);\n" +
      "  return { sizes, names: files.map(({ name }) => name), when };\n" +
      "};",
    stream: "export default async function* () { yield 'hello '; yield 'world'; }",
    echo: "export default async function* (input, { body }) { for await (const piece of body) yield piece; }",
    never: "export default () => new Promise((done) => setTimeout(done, 60_000));",
    notify: "export default (payload) => ({ ...payload, seen: true });",
  };
  for (const [name, text] of Object.entries(scripts)) writeFileSync(join(folder, `${name}.js`), text);
  const { notify, slash, ...rest } = scripts;
  const tasks = Object.fromEntries(Object.keys(rest).map((name) => [`app.tasks.${name}`, { script: `${name}.js` }]));
  tasks["app.tasks/with slash"] = { script: "slash.js" };
  const events = { "app.events.notify": { script: "notify.js" } };
  writeFileSync(
    join(folder, "cordon.json"),
    JSON.stringify({
      tasks,
      events,
      contexts: ["app.ctx.tenant"],
      server: {
        listen: "127.0.0.1:0",
        auth: { token: "secret" },
        expose: { tasks: Object.keys(tasks), events: Object.keys(events) },
      },
    }),
  );
  const server = spawn(cordon, ["serve", "--config", join(folder, "cordon.json")], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const said = [];
  const url = await new Promise((found, failed) => {
    createInterface({ input: server.stderr }).on("line", (line) => {
      said.push(line);
      const match = /http:\/\/[\d.]+:\d+\/\w+/.exec(line);
      if (match) found(match[0]);
    });
    server.on("exit", () => failed(new Error(said.join("\n"))));
  });
  await check("cordon serve", url);
  server.kill("SIGTERM");
  await once(server, "exit");
  rmSync(folder, { recursive: true });
}

await withNpm();
await withCordon();
console.log("both servers are fine");
process.exit(0);
