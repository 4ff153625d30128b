// Cancellation: an AbortController that ends waits, retries and a loop over pages.
const sleep = (ms, { signal } = {}) => new Promise((resolve, reject) => {
  signal?.throwIfAborted();
  const timer = setTimeout(resolve, ms);
  signal?.addEventListener('abort', () => {
    clearTimeout(timer);
    reject(signal.reason);
  }, { once: true });
});

async function poll(check, { every = 2, signal }) {
  for (let tries = 1; ; tries++) {
    const answer = await check(tries);
    if (answer) return { answer, tries };
    await sleep(every, { signal });
  }
}

const controller = new AbortController();
const ready = await poll((tries) => tries >= 3 && 'ready', { signal: controller.signal });

const cancelled = poll((tries) => { if (tries === 2) controller.abort(new Error('changed my mind')); return false; }, { signal: controller.signal });
const reason = await cancelled.catch((error) => error.message);

const timedOut = await sleep(60_000, { signal: AbortSignal.timeout(5) }).catch((error) => `${error.name}: ${error instanceof DOMException}`);
const either = AbortSignal.any([AbortSignal.timeout(60_000), AbortSignal.abort('stop')]);
const plain = new AbortController();
plain.abort();

async function collect(signal) {
  const numbers = [];
  for (let page = 1; !signal.aborted; page++) {
    const batch = await github.listIssues({ page, perPage: 5 });
    numbers.push(...batch.map(({ number }) => number));
    if (page === 2) limit.abort();
  }
  return numbers;
}
const limit = new AbortController();
console.log(await collect(limit.signal));
({ ready, reason, timedOut, either: [either.aborted, either.reason], plain: [plain.signal.reason.name, plain.signal.reason.code, plain.signal.reason.message.length > 0] });
