// Counts the bytes of a file while they arrive.
export default async function ({ file }) {
  const { stream } = await file.resolve();
  let bytes = 0;
  for await (const piece of stream) bytes += piece.length;
  return { bytes };
}
