// The host of npm `duplex-rpc` with `cordon guest` in the place of `wasmtime run`: every kind of
// value, errors, callbacks by reference, streams both ways, and many calls at once.
//
//   node duplex.mjs CORDON PLUGIN.wasm
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(process.env.CORDON_INTEROP + "/");
const {
  AsyncWritable,
  createApiClientFromDuplex,
  createRpcFunctionDefinition,
  duplexFromSpawnedProcess,
  rpcCallback,
} = await import(pathToFileURL(require.resolve("duplex-rpc")));

const [cordon, plugin] = process.argv.slice(2);
const anything = createRpcFunctionDefinition({ params: (p) => p, decodeResult: (r) => r });
const api = Object.fromEntries(
  ["add", "divide", "echo", "nothing", "listItems", "lostItems", "callBack", "sum"].map((name) => [name, anything]),
);

const guest = spawn(cordon, ["guest", plugin], { stdio: ["pipe", "pipe", "inherit"] });
const client = createApiClientFromDuplex(duplexFromSpawnedProcess(guest), api);

assert.equal(await client.add([40, 2]), 42);
await assert.rejects(client.divide([1, 0]), /Division by zero/);
for (const value of [null, true, 0, -1, 127, 128, 65536, 2 ** 40, -(2 ** 40), 1.5, "", "é\u0000", "x".repeat(70_000)]) {
  assert.deepEqual(await client.echo(value), value);
}
const nested = { list: [1, [2, { three: "3" }]], bytes: new Uint8Array([0, 1, 255]) };
const echoed = await client.echo(nested);
assert.deepEqual({ ...echoed, bytes: new Uint8Array(echoed.bytes) }, nested);
assert.equal(await client.nothing(undefined), undefined);

// A callback by reference: the guest gets its name and calls it.
const named = await client.callBack({
  name: rpcCallback(async (p) => ({ name: "Broccoli", id: p.productId })),
  params: { productId: "p-42" },
});
assert.deepEqual(named, { name: "Broccoli", id: "p-42" });

// A stream from the guest.
const items = new AsyncWritable();
const read = (async () => {
  const list = [];
  for await (const item of items.createAsyncIterator()) list.push(item);
  return list;
})();
await client.listItems({ toolStreamId: items });
assert.deepEqual(await read, ["Hammer", "Wrench"]);

// A stream to the guest.
async function* numbers() {
  for (let i = 1; i <= 1000; ++i) yield i;
}
assert.equal(await client.sum({ stream: numbers() }), 500_500);

// Many at once, and each gets its own answer.
const many = await Promise.all(Array.from({ length: 5000 }, (_, i) => client.add([i, 1])));
many.forEach((sum, i) => assert.equal(sum, i + 1));

// The end of its input is the end of the guest.
guest.stdin.end();
const [code] = await once(guest, "exit");
assert.equal(code, 0);
console.log("duplex-rpc: all as expected");
process.exit(0);
