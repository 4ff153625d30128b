// Reduce a big answer to the few numbers that were asked for: only these leave the sandbox.
const { readings } = await tools.readings();
const sensors = new Map();
for (const { sensor, value, ok } of readings) {
  const s = sensors.get(sensor) ?? { count: 0, failed: 0, sum: 0, least: Infinity, most: -Infinity };
  s.count++;
  if (ok) {
    s.sum += value;
    s.least = Math.min(s.least, value);
    s.most = Math.max(s.most, value);
  } else s.failed++;
  sensors.set(sensor, s);
}
const summary = [...sensors].map(([sensor, s]) => ({
  sensor,
  mean: Math.round((s.sum / (s.count - s.failed)) * 100) / 100,
  range: [s.least, s.most],
  failed: s.failed,
}));
summary.sort((a, b) => b.mean - a.mean || a.sensor.localeCompare(b.sensor));
console.log(`${JSON.stringify(readings).length} characters in, ${JSON.stringify(summary.slice(0, 2)).length} out`);
summary.slice(0, 2);
