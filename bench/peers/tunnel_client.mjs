// How many calls the HTTP client of npm @bluelibs/runner makes, and how long they take.
//
//   node tunnel_client.mjs URL IN_FLIGHT SECONDS     prints {"calls":…,"p99":…}, p99 in seconds
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const { createHttpClient, Serializer } = require("@bluelibs/runner/node");
const [baseUrl, inFlight, seconds] = process.argv.slice(2);
const client = createHttpClient({ baseUrl, auth: { token: "secret" }, serializer: new Serializer() });

const times = [];
let end = 0;
const run = async () => {
  while (performance.now() < end) {
    const start = performance.now();
    const result = await client.task("add", { a: 1, b: 2 });
    if (result !== 3) throw new Error(`a result of ${result}`);
    times.push(performance.now() - start);
  }
};
const load = async (time) => {
  times.length = 0;
  end = performance.now() + time * 1000;
  await Promise.all(Array.from({ length: Number(inFlight) }, run));
};
await load(0.5);
const before = performance.now();
await load(Number(seconds));
const taken = (performance.now() - before) / 1000;
times.sort((a, b) => a - b);
console.log(JSON.stringify({ calls: times.length / taken, p99: times[Math.floor(times.length * 0.99)] / 1000 }));
process.exit(0);
