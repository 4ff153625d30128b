import { TaskError } from 'cordon:task';

export default async function ({ a, b }) {
  const sum = a + b;
  if (!Number.isFinite(sum)) throw new TaskError('app.errors.range', 'The sum is out of range', { a, b });
  return sum;
}
