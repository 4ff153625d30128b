export default async function ({ files }) {
  let bytes = 0;
  for (const file of files) {
    for await (const piece of (await file.resolve()).stream) bytes += piece.length;
  }
  return bytes;
}
