// What a guest says in the default locale, next to Node's: numbers and dates, generated. A guest may
// refuse with a RangeError, but it may not say anything else.
//
//   node locale.mjs CORDON [CASES [SEED]]
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";

const [cordon, cases = "3000", seed = String(Date.now() % 1e6)] = process.argv.slice(2);
console.log(`${cases} cases, seed ${seed}`);

// Runs in both: a line a case.
const program = `
let state = ${Number(seed)} * 2654435761 % 4294967296;
const random = (n) => { state = (Math.imul(state, 1664525) + 1013904223) >>> 0; return Math.floor(state / 4294967296 * n); };
const pick = (list) => list[random(list.length)];
const out = [];
const run = (label, f) => { let r; try { r = f(); } catch (e) { r = e.name; } out.push(label + ' => ' + r); };
// numbers
const nums = [0, -0, 1, -1, 0.5, 1.5, 2.5, 0.0005, 0.00049, 1.0005, 1e21, 1e-7, 123456789.987654321, NaN, Infinity, -Infinity, 999.9995, 0.9995, 9.9999, 99999, 999999, 1000, 1234567.891, 1.7976931348623157e308, 5e-324, 1.005, 1.255, 10.235, -0.0001, 0.05, 0.95, 0.995];
for (let i = 0; i < ${Number(cases) / 5}; i++) nums.push((random(2) ? 1 : -1) * random(4294967296) / 10 ** random(12) * 10 ** random(4));
const opts = [undefined, { maximumFractionDigits: 0 }, { maximumFractionDigits: 2 }, { minimumFractionDigits: 2 }, { minimumFractionDigits: 2, maximumFractionDigits: 2 }, { minimumFractionDigits: 5 }, { style: 'percent' }, { style: 'percent', minimumFractionDigits: 1 }, { style: 'currency', currency: 'USD' }, { style: 'currency', currency: 'EUR' }, { style: 'currency', currency: 'JPY' }, { style: 'currency', currency: 'GBP', maximumFractionDigits: 0 }, { useGrouping: false }, { style: 'currency', currency: 'USD', minimumFractionDigits: 0 }, { minimumFractionDigits: 3, maximumFractionDigits: 1 }, { style: 'currency' }, {}, { style: 'decimal', maximumFractionDigits: 20 }, { useGrouping: true }];
for (const n of nums) { for (let k = 0; k < 6; k++) { const o = pick(opts); const l = pick([undefined, 'en-US', 'en', ['en-US'], []]); run(\`\${Object.is(n, -0) ? '-0' : n} \${JSON.stringify(o)}\`, () => n.toLocaleString(l, o)); } }
for (const n of [0n, 1n, -1n, 999n, 1000n, -123456789012345678901234567890n]) for (const o of opts) run(\`\${n}n \${JSON.stringify(o)}\`, () => n.toLocaleString('en-US', o));
// dates
const pr = (list) => (random(2) ? undefined : pick(list));
for (let i = 0; i < ${Number(cases)}; i++) {
  const t = pick([0, -1, 86399999, -62135596800000, -62198755200000, -8.64e15, 8.64e15, NaN, (random(4294967296) - 2147483648) * 1000 + random(1000), random(4294967296) * 60000 - 1e14]);
  const d = new Date(t);
  const o = pick([undefined, {}, { timeZone: 'UTC' }]) ?? {};
  const full = random(3) === 0 ? {} : { ...o, weekday: pr(['long', 'short']), year: pr(['numeric', '2-digit']), month: pr(['numeric', '2-digit', 'long', 'short']), day: pr(['numeric', '2-digit']), hour: pr(['numeric', '2-digit']), minute: pr(['numeric', '2-digit']), second: pr(['numeric', '2-digit']), hour12: random(8) ? undefined : random(2) === 0 };
  const styled = random(4) ? full : { dateStyle: pr(['full', 'long', 'medium', 'short']), timeStyle: pr(['medium', 'short']) };
  const m = pick(['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString']);
  run(\`\${m} \${t} \${JSON.stringify(styled)}\`, () => d[m](pick([undefined, 'en-US']), styled));
}
for (const l of ['en', 'tr', 'az-Latn', 'lt', 'el', 'hy', 'de', 'fr', undefined, 'x_y', '']) run(\`case \${l}\`, () => 'iIßİΆ'.toLocaleUpperCase(l) + 'IÌΣ'.toLocaleLowerCase(l));
run('arr', () => [1234.5, new Date(0), null, 1n].toLocaleString()); run('arr2', () => new Float64Array([1234.5, 1e6]).toLocaleString('en-US')); run('null', () => (1).toLocaleString(null)); run('null2', () => (1).toLocaleString(undefined, null));
`;

const expected = new Function(`${program}; return out;`)();
const ran = spawnSync(cordon, ["run", "--timeout", "60000", "--memory", "256MiB", "-"], { input: `${program}; out`, maxBuffer: 1 << 28 });
assert.equal(ran.status, 0, ran.stderr.toString());
const got = JSON.parse(ran.stdout);
assert.equal(got.length, expected.length);
let refused = 0;
expected.forEach((line, i) => {
  if (line === got[i]) return;
  // Before Node 24 midnight is 24:00:00 there, if hour12 is false.
  if (line.includes("hour12") && line.replace("24:", "00:") === got[i]) return;
  assert.ok(got[i].endsWith("=> RangeError"), `node:   ${line}\ncordon: ${got[i]}`);
  refused++;
});
assert.ok(refused < cases / 1.5, `${refused} were refused`);
console.log(`${expected.length} lines are the same, or refused (${refused})`);
