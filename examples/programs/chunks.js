// Rate limiting: batches of calls with a pause in between.
const delay = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function chunk(array, size) {
  const chunks = [];
  for (let i = 0; i < array.length; i += size) {
    chunks.push(array.slice(i, i + size));
  }
  return chunks;
}

async function processInBatches(items, batchSize, handler, pauseMs = 5) {
  const results = [];
  const batches = chunk(items, batchSize);
  for (const [index, batch] of batches.entries()) {
    const started = performance.now();
    results.push(...(await Promise.all(batch.map(handler))));
    const elapsed = performance.now() - started;
    console.log(`batch ${index + 1}/${batches.length}: ${batch.length} items, ${elapsed >= 0 ? 'ok' : 'clock ran backwards'}`);
    if (index < batches.length - 1) await delay(pauseMs);
  }
  return results;
}

const numbers = Array.from({ length: 11 }, (_, i) => i + 1);
const issues = await processInBatches(numbers, 4, (number) => github.getIssue({ number }));
const counts = issues.reduce((acc, { state }) => ({ ...acc, [state]: (acc[state] || 0) + 1 }), {});
({ counts, titles: issues.map(({ title }) => title.split(' ')[0]).filter((word, i, all) => all.indexOf(word) === i) });
