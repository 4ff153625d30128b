// A cache in front of a tool: least recently used entries go first, entries grow old, calls under way are shared.
class LruCache {
  #entries = new Map();
  hits = 0;
  misses = 0;
  constructor(max) { this.max = max; }
  get size() { return this.#entries.size; }
  get(key) {
    if (!this.#entries.has(key)) {
      this.misses++;
      return undefined;
    }
    this.hits++;
    const value = this.#entries.get(key);
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }
  set(key, value) {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.max) this.#entries.delete(this.#entries.keys().next().value);
    return this;
  }
  *keys() { yield* this.#entries.keys(); }
}

const cache = new LruCache(3);
let calls = 0;
async function issueTitle(number) {
  const cached = cache.get(number);
  if (cached !== undefined) return cached;
  calls++;
  const promise = github.getIssue({ number }).then(({ title }) => title);
  cache.set(number, promise);
  try {
    return await promise;
  } catch (error) {
    cache.set(number, undefined);
    throw error;
  }
}

const titles = [];
for (const number of [1, 2, 1, 3, 4, 1, 2]) titles.push(await issueTitle(number));
const shared = await Promise.all([issueTitle(7), issueTitle(7), issueTitle(7)]);
const failed = await issueTitle(404).catch(({ message }) => message);

console.log(`${calls} calls, ${cache.hits} hits, ${cache.misses} misses`);
({ titles: titles.map((title) => title.split(' ')[0]), shared: new Set(shared).size, failed, kept: [...cache.keys()], size: cache.size });
