// The same tasks and events, served by npm @bluelibs/runner (nodeExposure) and by `cordon serve`, for scripts that ask
// both the same.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";

const require = createRequire(process.env.CORDON_INTEROP + "/");

export const token = "secret";
export const taskIds = [
  "app.tasks.add",
  "app.tasks.same",
  "app.tasks.fail",
  "app.tasks.typed",
  "app.tasks.stream",
  "app.tasks.upload",
  "app.tasks.echo",
  "app.tasks.count",
  "app.tasks.large",
  "app.tasks.slow",
  "app.tasks.seen",
  "app.tasks/with slash ü",
];
export const eventIds = ["app.events.notify"];

async function* numbered(count) {
  for (let i = 0; i < count; ++i) yield Buffer.alloc(50_000, 65 + (i % 26));
}

async function uploadOf(file) {
  const hash = require("node:crypto").createHash("sha256");
  let bytes = 0;
  for await (const piece of (await file.resolve()).stream) {
    hash.update(piece);
    bytes += piece.length;
  }
  return { name: file.name, type: file.type, size: file.size, bytes, hash: hash.digest("hex") };
}

// Every { resolve } in a value, uploaded one after the other, and the rest as it is.
async function uploaded(input) {
  if (typeof input?.resolve === "function") return uploadOf(input);
  if (Array.isArray(input)) {
    const items = [];
    for (const item of input) items.push(await uploaded(item));
    return items;
  }
  if (input === null || typeof input !== "object" || Object.getPrototypeOf(input) !== Object.prototype) return input;
  const members = {};
  for (const [key, value] of Object.entries(input)) members[key] = await uploaded(value);
  return members;
}

export async function reference() {
  const { r, run, globals } = require("@bluelibs/runner");
  const { nodeExposure, useExposureContext } = require("@bluelibs/runner/node");
  const Funds = r.error("app.errors.funds").format(() => "too little\u001b[2J").build();
  const bodies = {
    "app.tasks.add": async ({ a, b }) => a + b,
    "app.tasks.same": async (input) => input,
    "app.tasks.fail": async () => {
      throw new Error("a secret");
    },
    "app.tasks.typed": async () => Funds.throw({ need: 7, since: new Date(0) }),
    "app.tasks.stream": async (count) => Readable.from(numbered(count)),
    "app.tasks.upload": async (input) => uploaded(input),
    "app.tasks.echo": async () => useExposureContext().req,
    "app.tasks.count": async () => {
      let bytes = 0;
      for await (const piece of useExposureContext().req) bytes += piece.length;
      return bytes;
    },
    "app.tasks.large": async (count) => "x".repeat(count),
    "app.tasks.slow": () => new Promise(() => {}),
    "app.tasks.seen": async () => {
      const { headers } = useExposureContext();
      return { trace: headers["x-trace"], type: headers["content-type"], length: headers["content-length"] };
    },
    "app.tasks/with slash ü": async () => "found",
  };
  const tasks = taskIds.map((id) => r.task(id).run(bodies[id]).build());
  const notify = r.event("app.events.notify").build();
  const hook = r
    .hook("app.hooks.notify")
    .on(notify)
    .run(async (event) => {
      if (event.data && typeof event.data === "object") event.data.seen = true;
    })
    .build();
  const tunnel = r
    .resource("app.tunnel")
    .tags([globals.tags.tunnel])
    .init(async () => ({ mode: "server", transport: "http", tasks: taskIds, events: eventIds }))
    .build();
  const exposure = nodeExposure.with({
    http: { basePath: "/__runner", listen: { port: 0 }, auth: { token } },
  });
  const app = r
    .resource("app")
    .register([tunnel, exposure, Funds, notify, hook, ...tasks])
    .build();
  const options = { logs: { printThreshold: null }, errorBoundary: false, shutdownHooks: false };
  const runtime = await run(app, options);
  const { server } = runtime.getResourceValue(nodeExposure);
  return {
    name: "nodeExposure",
    url: `http://127.0.0.1:${server.address().port}/__runner`,
    close: async () => {
      server.closeAllConnections();
      await runtime.dispose();
    },
  };
}

const scripts = {
  "app.tasks.add": "export default ({ a, b }) => a + b;",
  "app.tasks.same": "export default (input) => input;",
  "app.tasks.fail": "export default () => { throw new Error('a secret'); };",
  "app.tasks.typed":
    "import { TaskError } from 'cordon:task';\n" +
    "export default () => {\n" +
    "  throw new TaskError('app.errors.funds', 'too little\\u001b[2J', { need: 7, since: new Date(0) });\n" +
    "};",
  "app.tasks.stream":
    "export default async function* (count) {\n" +
    "  for (let i = 0; i < count; ++i) yield new Uint8Array(50_000).fill(65 + (i % 26));\n" +
    "}",
  "app.tasks.upload":
    "const hex = (buffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');\n" +
    "async function uploadOf(file) {\n" +
    "  const pieces = [];\n" +
    "  for await (const piece of (await file.resolve()).stream) pieces.push(piece);\n" +
    "  const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);\n" +
    "  const whole = new Uint8Array(bytes);\n" +
    "  let at = 0;\n" +
    "  for (const piece of pieces) { whole.set(piece, at); at += piece.length; }\n" +
    "  const hash = hex(await crypto.subtle.digest('SHA-256', whole));\n" +
    "  return { name: file.name, type: file.type, size: file.size, bytes, hash };\n" +
    "}\n" +
    uploaded.toString() +
    "\nexport default uploaded;",
  "app.tasks.echo": "export default async function* (input, { body }) { yield* body; }",
  "app.tasks.count":
    "export default async (input, { body }) => {\n" +
    "  let bytes = 0;\n" +
    "  for await (const piece of body) bytes += piece.length;\n" +
    "  return bytes;\n" +
    "};",
  "app.tasks.large": "export default (count) => 'x'.repeat(count);",
  "app.tasks.slow": "export default () => new Promise((done) => setTimeout(done, 600_000));",
  "app.tasks.seen":
    "export default (input, { headers }) => ({ trace: headers['x-trace'], type: headers['content-type'],\n" +
    "  length: headers['content-length'] });",
  "app.tasks/with slash ü": "export default () => 'found';",
};

export async function ours(program) {
  const folder = mkdtempSync(join(tmpdir(), "cordon-shell-"));
  const tasks = {};
  for (const [index, id] of taskIds.entries()) {
    writeFileSync(join(folder, `task${index}.js`), scripts[id]);
    tasks[id] = { script: `task${index}.js`, timeoutMs: 60_000, memoryLimitBytes: 1_000_000_000 };
  }
  writeFileSync(
    join(folder, "notify.js"),
    "export default (payload) => { if (payload && typeof payload === 'object') payload.seen = true; };",
  );
  const configuration = {
    tasks,
    events: { "app.events.notify": { script: "notify.js" } },
    server: {
      listen: "127.0.0.1:0",
      auth: { token },
      limits: { multipart: { fileSize: 500_000_000 } },
      expose: { tasks: taskIds, events: eventIds },
    },
  };
  writeFileSync(join(folder, "cordon.json"), JSON.stringify(configuration));
  const words = ["serve", "--config", join(folder, "cordon.json")];
  const server = spawn(program, words, { stdio: ["ignore", "pipe", "inherit"] });
  const [url] = await once(createInterface({ input: server.stdout }), "line");
  return {
    name: "cordon serve",
    url,
    close: async () => {
      server.kill("SIGTERM");
      await once(server, "exit");
      rmSync(folder, { recursive: true });
    },
  };
}
