// crypto.subtle of a guest and of Node: the same keys, data and parameters, generated, give the same bytes.
//
//   node crypto.mjs CORDON [CASES [SEED]]
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";

const [cordon, cases = "300", seed = String(Date.now() % 1e6)] = process.argv.slice(2);
console.log(`${cases} cases, seed ${seed}`);

// Runs in both: a line a case.
const program = `
let state = ${Number(seed)} * 2654435761 % 4294967296;
const random = (n) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor(state / 4294967296 * n);
};
const pick = (list) => list[random(list.length)];
const bytes = (size) => Uint8Array.from({ length: size }, () => random(256));
const some = () => {
  const data = bytes(pick([0, 1, 15, 16, 17, 31, 32, 33, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, random(400)]));
  return pick([data, data.buffer, new DataView(data.buffer), data.subarray(data.length >> 1)]);
};
const hex = (buffer) => [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const hash = () => pick(["SHA-1", "SHA-256", "SHA-384", { name: "sha-512" }]);
const { subtle } = crypto;

const kinds = [
  async () => hex(await subtle.digest(hash(), some())),
  async () => {
    const key = await subtle.importKey("raw", bytes(1 + random(200)), { name: "HMAC", hash: hash() }, true, ["sign", "verify"]);
    const data = some();
    const signed = new Uint8Array(await subtle.sign("HMAC", key, data));
    if (random(2)) signed[random(signed.length)] ^= random(2);
    return hex(signed) + " " + await subtle.verify("HMAC", key, signed, data) + " " + (await subtle.exportKey("jwk", key)).k;
  },
  async () => {
    const key = await subtle.importKey("raw", bytes(pick([16, 24, 32])), "AES-GCM", true, ["encrypt", "decrypt"]);
    const how = { name: "AES-GCM", iv: bytes(pick([12, 12, 13, 16, 64, 128])), tagLength: pick([undefined, 96, 112, 128, 32]) };
    if (random(2)) how.additionalData = some();
    const sealed = new Uint8Array(await subtle.encrypt(how, key, some()));
    if (random(4) === 0) sealed[random(sealed.length)] ^= 1 << random(8);
    return hex(sealed) + " " + await subtle.decrypt(how, key, sealed).then(hex, (error) => error.name);
  },
  async () => {
    const key = await subtle.importKey("raw", some(), "PBKDF2", false, ["deriveBits"]);
    return hex(await subtle.deriveBits({ name: "PBKDF2", hash: hash(), salt: some(), iterations: 1 + random(20) }, key, 8 * (1 + random(100))));
  },
  async () => {
    const key = await subtle.importKey("raw", bytes(1 + random(200)), "HKDF", false, ["deriveBits"]);
    return hex(await subtle.deriveBits({ name: "HKDF", hash: hash(), salt: some(), info: some() }, key, 8 * (1 + random(300))));
  },
];
const run = async () => {
  const lines = [];
  for (let i = 0; i < ${Number(cases)}; i++) lines.push(await kinds[i % kinds.length]());
  return lines;
};
`;

const expected = await new Function(`${program}; return run();`)();
const run = spawnSync(cordon, ["run", "--timeout", "60000", "-"], { input: `${program}; await run()`, maxBuffer: 1 << 28 });
assert.equal(run.status, 0, run.stderr.toString());
const got = JSON.parse(run.stdout);
expected.forEach((line, i) => assert.equal(got[i], line, `case ${i}`));
assert.equal(got.length, expected.length);
console.log(`${expected.length} lines are the same`);
