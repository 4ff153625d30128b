// `cordon call` of a tunnel that npm @bluelibs/runner serves (nodeExposure), unchanged.
//
//   node call.mjs CORDON
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { Readable } from "node:stream";

const require = createRequire(process.env.CORDON_INTEROP + "/");
const { r, run, globals } = require("@bluelibs/runner");
const { nodeExposure } = require("@bluelibs/runner/node");

const task = (id, body) => r.task(id).run(body).build();
const tasks = [
  task("app.tasks.add", async ({ a, b }) => a + b),
  task("app.tasks.same", async (input) => input),
  task("app.tasks.rich", async () => ({ when: new Date(0), pattern: /a+/gi, big: 7n })),
  task("app.tasks.date", async () => new Date(0)),
  task("app.tasks.fail", async () => {
    throw new Error("a secret");
  }),
  task("app.tasks/with slash", async () => "found"),
  task("app.tasks.stream", async () => Readable.from([Buffer.from("hello "), Buffer.from([0, 255])])),
];
const tunnel = r
  .resource("app.tunnel")
  .tags([globals.tags.tunnel])
  .init(async () => ({ mode: "server", transport: "http", tasks: tasks.map(({ id }) => id) }))
  .build();

const exposure = nodeExposure.with({
  http: { basePath: "/__runner", listen: { port: 0 }, auth: { token: "secret" } },
});
const app = r.resource("app").register([tunnel, exposure, ...tasks]).build();
const runtime = await run(app, { logs: { printThreshold: null }, errorBoundary: false, shutdownHooks: false });
const { server } = runtime.getResourceValue(nodeExposure);
const url = `http://127.0.0.1:${server.address().port}/__runner`;

const call = (...words) =>
  new Promise((done) => {
    const options = { env: { ...process.env, TOKEN: "secret" }, encoding: "buffer" };
    execFile(process.argv[2], ["call", "--token-env", "TOKEN", ...words], options, (error, output, errors) => {
      done({ exit: error ? error.code : 0, output: output.toString("latin1"), errors: errors.toString() });
    });
  });

assert.deepEqual(await call(url, "app.tasks.add", '{"a": 1, "b": 2}'), { exit: 0, output: "3\n", errors: "" });
assert.equal((await call(url, "app.tasks.same", '[1, {"a": null}]')).output, '[1,{"a":null}]\n');
assert.deepEqual(await call(url, "app.tasks.same"), { exit: 0, output: "", errors: "" });
assert.equal((await call(url, "app.tasks/with slash")).output, '"found"\n');
assert.equal((await call(url, "app.tasks.date")).output, '"1970-01-01T00:00:00.000Z"\n');
const rich = JSON.parse((await call("--runner", url, "app.tasks.rich")).output);
assert.deepEqual(rich.big, { __type: "BigInt", value: "7" });
assert.equal(rich.when.__type, "Date");
const sent = await call("--runner", url, "app.tasks.same", '{"__type": "Date", "value": "1970-01-01T00:00:00.000Z"}');
assert.equal(JSON.parse(sent.output).__type, "Date");
assert.deepEqual(await call(url, "app.tasks.stream"), { exit: 0, output: "hello \x00\xff", errors: "" });

const failed = await call(url, "app.tasks.fail");
assert.equal(failed.exit, 1);
assert.match(failed.errors, /^cordon call: INTERNAL_ERROR: Internal Error\n$/);
const unknown = JSON.parse((await call("--json", url, "app.tasks.unknown")).output);
assert.equal(unknown.ok, false);
assert.equal(unknown.error.status, 403);
process.env.TOKEN = "";
const anonymous = await new Promise((done) =>
  execFile(process.argv[2], ["call", url, "app.tasks.add", "{}"], (error) => done(error.code)),
);
assert.equal(anonymous, 1);

await runtime.dispose();
console.log("ok");
