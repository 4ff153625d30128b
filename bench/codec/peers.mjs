// node peers.mjs: the peers of codec_bench. Takes {"plain": JSON text, "typed": Runner text, "graph": Runner
// text, "seconds": how long each is repeated} on standard input and prints the milliseconds of one round, the
// best and the median: {"name": {"best": …, "median": …}, …}. CORDON_PEERS names the folder of the packages.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const require = createRequire(process.env.CORDON_PEERS + "/");
const { Serializer } = require("@bluelibs/runner");
const devalue = await import(require.resolve("devalue"));
const seroval = require("seroval");

const { plain, typed, graph, seconds } = JSON.parse(readFileSync(0, "utf8"));
const runner = new Serializer();
const results = {};

function measure(name, run) {
  const times = [];
  const end = performance.now() + seconds * 1000;
  run();
  do {
    const start = performance.now();
    run();
    times.push(performance.now() - start);
  } while (performance.now() < end || times.length < 5);
  times.sort((a, b) => a - b);
  results[name] = { best: times[0], median: times[times.length >> 1] };
}

function both(name, write, read, value) {
  const text = write(value);
  measure(name + " write", () => write(value));
  measure(name + " read", () => read(text));
}

const values = { plain: JSON.parse(plain), typed: runner.parse(typed), graph: runner.parse(graph) };

both("plain JSON", (value) => JSON.stringify(value), (text) => JSON.parse(text), values.plain);
for (const [name, value] of Object.entries(values)) {
  if (name === "graph") {
    both(name + " runner", (each) => runner.serialize(each), (text) => runner.deserialize(text), value);
  } else {
    both(name + " runner", (each) => runner.stringify(each), (text) => runner.parse(text), value);
  }
  both(name + " devalue", (each) => devalue.stringify(each), (text) => devalue.parse(text), value);
  both(name + " seroval", (each) => JSON.stringify(seroval.toJSON(each)), (text) => seroval.fromJSON(JSON.parse(text)), value);
}
console.log(JSON.stringify({ node: process.version, results }));
