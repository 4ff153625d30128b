// Fan out with a limit: twelve images, never more than three at a time.
async function mapLimit(items, limit, action) {
  const results = new Array(items.length);
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await action(items[index]);
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
  return results;
}

const images = Array.from({ length: 12 }, (_, i) => i + 1);
const resized = await mapLimit(images, 3, (image) => tools.resize({ image }));
const bytes = resized.map((result) => result.bytes);
({
  images: resized.length,
  inOrder: resized.every((result, i) => result.image === i + 1),
  bytes: bytes.reduce((a, b) => a + b),
  mostAtOnce: Math.max(...resized.map((result) => result.mostAtOnce)),
});
