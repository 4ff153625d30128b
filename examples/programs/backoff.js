// Retries with exponential backoff, and a limit.
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

class RetryError extends Error {
  constructor(message, attempts, options) {
    super(message, options);
    this.name = 'RetryError';
    this.attempts = attempts;
  }
}

async function withRetry(fn, { retries = 3, baseDelay = 2, maxDelay = 10, shouldRetry = () => true } = {}) {
  let lastError;
  for (let attempt = 0; attempt <= retries; attempt++) {
    try {
      return await fn(attempt);
    } catch (error) {
      lastError = error;
      if (attempt === retries || !shouldRetry(error)) break;
      const delay = Math.min(baseDelay * 2 ** attempt, maxDelay);
      console.warn(`attempt ${attempt + 1} failed: ${error.message}; waiting ${delay} ms`);
      await sleep(delay);
    }
  }
  throw new RetryError(`failed after ${retries + 1} attempts`, retries + 1, { cause: lastError });
}

const is503 = (error) => /^503\b/.test(error.message);
const found = await withRetry(() => github.search({ query: 'cache' }), { shouldRetry: is503 });

let failure;
try {
  await withRetry(() => github.getIssue({ number: 9999 }), { shouldRetry: is503 });
} catch (error) {
  failure = { name: error.name, attempts: error.attempts, cause: error.cause.message, isError: error instanceof Error };
}
({ found: found.items, failure });
