// Programs of `cordon run` that call tasks of a tunnel which npm @bluelibs/runner serves
// (nodeExposure), unchanged.
//
//   node guests.mjs CORDON
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";

const require = createRequire(process.env.CORDON_INTEROP + "/");
const { r, run, globals } = require("@bluelibs/runner");
const { nodeExposure } = require("@bluelibs/runner/node");

const none = r.error("app.errors.none").format(({ left }) => `only ${left} left`).build();
const task = (id, body) => r.task(id).run(body).build();
let calls = 0;
const tasks = [
  task("app.tasks.add", async ({ a, b }) => a + b),
  task("app.tasks.same", async (input) => input),
  task("app-tasks-same", async () => "another"),
  task("app.tasks.rich", async (input) => {
    assert.ok(input.when instanceof Date && input.ids instanceof Set && input.ids.has(2n));
    return { when: new Date(5), map: new Map([[1, new Set([7n])]]), pattern: /a+/gi };
  }),
  task("app.tasks.typed", async () => none.throw({ left: 3 })),
  task("app.tasks.fail", async () => {
    throw new Error("a secret");
  }),
  task("app.tasks.count", async () => ++calls),
  task("app.tasks.stream", async () => Readable.from([Buffer.from("hello "), Buffer.from([0, 255])])),
  task("secret.tasks.drop", async () => "dropped"),
];
const tunnel = r
  .resource("app.tunnel")
  .tags([globals.tags.tunnel])
  .init(async () => ({ mode: "server", transport: "http", tasks: tasks.map(({ id }) => id) }))
  .build();
const exposure = nodeExposure.with({
  http: { basePath: "/__runner", listen: { port: 0 }, auth: { token: "secret" } },
});
const app = r.resource("app").register([none, tunnel, exposure, ...tasks]).build();
const runtime = await run(app, { logs: { printThreshold: null }, errorBoundary: false, shutdownHooks: false });
const { server } = runtime.getResourceValue(nodeExposure);

const folder = mkdtempSync(join(tmpdir(), "cordon-guests-"));
const config = join(folder, "cordon.json");
const configure = (more) =>
  writeFileSync(
    config,
    JSON.stringify({
      tunnels: {
        remote: {
          url: `http://127.0.0.1:${server.address().port}/__runner`,
          token: { env: "TOKEN" },
          ...more,
        },
      },
    }),
  );
const guest = (code, ...words) =>
  new Promise((done) => {
    const options = { env: { ...process.env, TOKEN: "secret" } };
    execFile(process.argv[2], ["run", "--config", config, ...words, "-e", code], options, (error, output, errors) => {
      done({ exit: error ? error.code : 0, output, errors });
    });
  });
const gives = async (code, output, ...words) =>
  assert.deepEqual(await guest(code, ...words), { exit: 0, output: JSON.stringify(output) + "\n", errors: "" }, code);

try {
  configure({});
  await gives("await remote.app_tasks_add({a: 1, b: 2})", 3);
  await gives("await remote.app_tasks_same__2()", "another");
  await gives("Object.keys(remote).length", tasks.length);
  await gives(
    "const r = await remote.app_tasks_rich({when: new Date(0), ids: new Set([2n])});" +
      "[r.when.getTime(), r.map.get(1).has(7n), r.pattern.flags]",
    [5, true, "gi"],
  );
  await gives("remote.app_tasks_typed().catch((e) => [e.code, e.message, e.id, e.data])", [
    "tool_error",
    "only 3 left",
    "app.errors.none",
    { left: 3 },
  ]);
  await gives("remote.app_tasks_fail().catch((e) => [e.code, e.message, 'id' in e])", [
    "tool_error",
    "Internal Error",
    false,
  ]);
  await gives("[...await remote.app_tasks_stream()].slice(-3)", [32, 0, 255]);
  await gives("(await Promise.all(Array.from({length: 500}, () => remote.app_tasks_count()))).length", 500);
  assert.equal(calls, 500);

  configure({ allow: ["app.*"], maxCalls: 1 });
  await gives("['secret_tasks_drop' in remote, await remote.app_tasks_add({a: 1, b: 1})]", [false, 2]);
  const twice = await guest("await remote.app_tasks_add({a: 1, b: 1}); await remote.app_tasks_add({a: 1, b: 1})");
  assert.equal(twice.exit, 1);
  assert.match(twice.errors, /^error: tool_error: the tunnel "remote" may be called 1 time in one execution\n/);
  await gives("await remote.app_tasks_add({a: 2, b: 2})", 4, "--runner", `'${process.argv[2]}' runner`);

  configure({ token: "wrong" });
  await gives("remote.app_tasks_add().catch((e) => e.message)", "Unauthorized");
} finally {
  rmSync(folder, { recursive: true });
  await runtime.dispose();
}
console.log("ok");
