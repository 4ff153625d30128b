export default async function ({ a, b }) {
  return a + b;
}
