// What stands in examples/programs/*.out is what Node makes of the programs; `examples.programs.*` compares the same
// files with what Cordon makes of them.
//
//   tests/interop/run.sh programs.mjs [--write] [PROGRAM…]
//
// --write makes the files.
import { execFile } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import util from "node:util";
import { node } from "./node.mjs";

const { values, positionals } = util.parseArgs({ options: { write: { type: "boolean" } }, allowPositionals: true });
const folder = "examples/programs";
const providers = [["tools", `${folder}/tools.js`]];
for (const name of fs.readdirSync(`${folder}/providers`)) providers.push([path.parse(name).name, `${folder}/providers/${name}`]);
const program = /^(?!README|tools\.js$).*\.(js|ts|md)$/;
const files = positionals.length ? positionals : fs.readdirSync(folder).filter((name) => program.test(name)).map((name) => `${folder}/${name}`);

async function run(file) {
  const options = fs.existsSync(`${file}.options`) ? fs.readFileSync(`${file}.options`, "utf8").trimEnd().split("\n") : [];
  const given = providers.flatMap(([name, from]) => ["--provider", `${name}=${from}`]);
  return (await util.promisify(execFile)(...node(...given, ...options, file), { timeout: 60_000 })).stdout;
}

let different = 0;
async function work() {
  for (let file; (file = files.shift()); ) {
    const printed = await run(file);
    if (values.write) {
      fs.writeFileSync(`${file}.out`, printed);
    } else if (printed !== (fs.existsSync(`${file}.out`) && fs.readFileSync(`${file}.out`, "utf8"))) {
      different++;
      console.log(`${file}: ${file}.out is not what Node prints, which is\n${printed}`);
    }
  }
}
const count = files.length;
await Promise.all(Array.from({ length: Math.min(4, os.availableParallelism()) }, work));
console.log(`${count} programs, ${different} of them different`);
process.exitCode = different ? 1 : 0;
