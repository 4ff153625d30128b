// A deadline for each call: the slow one loses, and its timer holds nothing up.
function withTimeout(promise, ms, label) {
  let timer;
  const timeout = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${label} timed out after ${ms}ms`)), ms);
  });
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}

const quick = await withTimeout(db.slowQuery({ ms: 1, answer: 'quick' }), 10_000, 'quick query');
console.log('first:', quick.answer);

let message;
try {
  await withTimeout(new Promise((resolve) => setTimeout(resolve, 60_000)), 5, 'slow job');
} catch (error) {
  message = error.message;
}
console.log('second:', message);

const winner = await Promise.any([
  Promise.reject(new Error('mirror 1 is down')),
  db.slowQuery({ ms: 1, answer: 'mirror 2' }),
  new Promise((resolve) => setTimeout(() => resolve({ answer: 'mirror 3' }), 60_000)),
]);
const none = await Promise.any([Promise.reject(new Error('a')), Promise.reject(new Error('b'))]).catch((error) => ({
  name: error.name,
  errors: error.errors.map(({ message }) => message),
}));

({ quick: quick.answer, message, winner: winner.answer, none });
