export default async function* (input, { body }) {
  for await (const piece of body) yield piece;
}
