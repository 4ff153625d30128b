// Errors of our own, causes, and cleaning up whatever happens.
class AppError extends Error {
  constructor(message, { code, cause, ...details } = {}) {
    super(message, { cause });
    this.name = 'AppError';
    this.code = code;
    this.details = details;
  }
}

const events = [];
async function transaction(work) {
  events.push('begin');
  try {
    const result = await work();
    events.push('commit');
    return result;
  } catch (error) {
    events.push('rollback');
    throw new AppError('transaction failed', { code: 'TX', cause: error, attempts: 1 });
  } finally {
    events.push('release');
  }
}

const describe = (error) => {
  const chain = [];
  for (let e = error; e; e = e.cause) chain.push(`${e.name}: ${e.message}`);
  return chain.join(' <- ');
};

const good = await transaction(() => db.insert({ table: 'products', row: { sku: 'X-1', name: 'Extra', price: 1, stock: 1, tags: [] } }));
const failures = [];
for (const work of [
  () => db.insert({ table: 'products', row: { id: 1 } }),
  () => JSON.parse('{"a": '),
  async () => { throw new RangeError('too far', { cause: new TypeError('wrong kind') }); },
  () => null.name,
  () => Promise.reject('only a text'),
]) {
  await transaction(work).catch((error) => {
    console.error(error.name, error.code, error.details.attempts, error.cause instanceof Error);
    failures.push(error.cause instanceof SyntaxError || /null/.test(error.cause?.message) ? error.cause.name : error.cause instanceof Error ? describe(error) : String(error.cause));
  });
}

const nested = (() => { try { return 'try'; } finally { events.push('finally after return'); } })();
const aggregate = new AggregateError([new Error('one'), new Error('two')], 'both failed');
({ good, failures, events: events.join(' '), nested, aggregate: aggregate.errors.map(String), text: String(new AppError('x')), hasStack: typeof new AppError('x').stack });
