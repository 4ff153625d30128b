// Async iteration: Array.fromAsync, for await over promises, an async generator that is stopped early.
async function* issues(perPage = 8) {
  let page = 1;
  try {
    for (;;) {
      const batch = await github.listIssues({ page, perPage, state: 'closed' });
      yield* batch;
      if (batch.length < perPage) return;
      page++;
    }
  } finally {
    console.log(`closed after page ${page}`);
  }
}

const all = await Array.fromAsync(issues(), ({ number }) => number);

const urgent = [];
for await (const issue of issues(5)) {
  if (!issue.labels.some(({ name }) => name === 'urgent')) continue;
  urgent.push(issue.number);
  if (urgent.length === 2) break;
}

const details = await Array.fromAsync([3, 1, 2], async (number) => (await github.getIssue({ number })).title);

const order = [];
const sleep = (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value));
for await (const value of [sleep(12, 'slow'), sleep(1, 'quick'), 'plain']) order.push(value);

const countdown = {
  async *[Symbol.asyncIterator]() { for (let i = 3; i > 0; i--) yield sleep(1, i); },
};
const numbers = [];
for await (const n of countdown) numbers.push(n);

async function* merge(...sources) {
  const pending = new Map(sources.map((source) => [source, source.next().then((result) => ({ source, result }))]));
  while (pending.size) {
    const { source, result } = await Promise.race(pending.values());
    if (result.done) pending.delete(source);
    else {
      pending.set(source, source.next().then((next) => ({ source, result: next })));
      yield result.value;
    }
  }
}
const merged = await Array.fromAsync(merge(countdown[Symbol.asyncIterator](), countdown[Symbol.asyncIterator]()));

let rejected;
try {
  for await (const value of [1, Promise.reject(new Error('second'))]) order.push(value);
} catch (error) {
  rejected = error.message;
}
({ all, urgent, details, order, numbers, merged: merged.sort(), rejected });
