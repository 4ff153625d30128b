// Try again with a growing wait, and give up when a signal says so.
async function retry(action, { attempts = 5, firstWait = 2, signal } = {}) {
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    try {
      return await action();
    } catch (error) {
      if (attempt === attempts) throw new Error(`gave up after ${attempts} attempts`, { cause: error });
      const wait = firstWait * 2 ** (attempt - 1);
      console.warn(`${error.message}; again in ${wait} ms`);
      await new Promise((done) => setTimeout(done, wait));
    }
  }
}

const { level } = await retry(() => tools.stockLevel({ sku: 'tea-100' }), { signal: AbortSignal.timeout(2000) });
const late = await retry(async () => { throw new Error('never works'); }, { attempts: 2 }).catch((error) => `${error.message}: ${error.cause.message}`);
({ level, late });
