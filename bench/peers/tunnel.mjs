// The reference of the tunnel, npm @bluelibs/runner, with the tasks that tunnel_bench asks for. Prints its URL.
import { createRequire } from "node:module";
import { Readable } from "node:stream";

// Its build for `import` does not load.
const require = createRequire(import.meta.url);
const { r, run, globals, nodeExposure, useExposureContext } = require("@bluelibs/runner/node");

async function* pieces(stream) {
  for await (const piece of stream) yield piece;
}

const add = r.task("add").run(async ({ a, b }) => a + b).build();
const echo = r.task("echo").run(async () => Readable.from(pieces(useExposureContext().req))).build();
const upload = r
  .task("upload")
  .run(async ({ files }) => {
    let bytes = 0;
    for (const file of files) {
      for await (const piece of (await file.resolve()).stream) bytes += piece.length;
    }
    return bytes;
  })
  .build();

const served = { mode: "server", transport: "http", tasks: ["add", "echo", "upload"], events: [] };
const tunnel = r.resource("tunnel").tags([globals.tags.tunnel]).init(async () => served).build();
const app = r
  .resource("app")
  .register([
    add,
    echo,
    upload,
    tunnel,
    nodeExposure.with({
      http: {
        basePath: "/__runner",
        listen: { port: 0, host: "127.0.0.1" },
        auth: { token: "secret" },
        limits: { multipart: { fileSize: 1 << 30, files: 16, fields: 16, fieldSize: 1 << 20 } },
      },
    }),
  ])
  .dependencies({ exposure: nodeExposure })
  .init(async (_config, { exposure }) => exposure.server.address().port)
  .build();

const runtime = await run(app);
console.log(`http://127.0.0.1:${runtime.value}/__runner`);
