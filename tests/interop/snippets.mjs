// Small programs of all kinds, one after the other in snippets.txt: `cordon run` prints what Node makes of them, beside
// warnings. Where Node fails, `cordon run` fails too.
//
//   node snippets.mjs CORDON [NUMBER]
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { node } from "./node.mjs";

const [cordon, only] = process.argv.slice(2);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "cordon-snippets-"));
const snippets = fs.readFileSync("tests/interop/snippets.txt", "utf8").trimEnd().split("\n----\n");

// What a command prints on both streams.
const run = (command, args) =>
  new Promise((done) => execFile(command, args, { timeout: 60_000 }, (_, out, errors) => done(errors + out)));

let different = 0;
const left = [...snippets.entries()].filter(([i]) => !only || Number(only) === i + 1);
async function work() {
  for (let next; (next = left.shift()); ) {
    const [i, code] = next;
    const file = path.join(folder, `${i + 1}.js`);
    fs.writeFileSync(file, `${code}\n`);
    const [expected, printed] = await Promise.all([run(...node(file)), run(cordon, ["run", file])]);
    const got = printed.replaceAll(/^warning: .*\n/gm, "");
    if (expected === got || (/^error: /m.test(expected) && /^error: /m.test(got))) continue;
    different++;
    console.log(`#${i + 1} ${code}\nnode:   ${expected}cordon: ${got}`);
  }
}
await Promise.all(Array.from({ length: Math.min(4, os.availableParallelism()) }, work));
fs.rmSync(folder, { recursive: true });
console.log(`${snippets.length} programs, ${different} of them different`);
assert.equal(different, 0);
