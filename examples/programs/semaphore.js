// Promise.withResolvers: a semaphore, a queue, a lazily made value.
class Semaphore {
  #waiting = [];
  #free;
  constructor(free) { this.#free = free; }
  async acquire() {
    if (this.#free > 0) return void this.#free--;
    const { promise, resolve } = Promise.withResolvers();
    this.#waiting.push(resolve);
    await promise;
  }
  release() {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
  async use(work) {
    await this.acquire();
    try { return await work(); } finally { this.release(); }
  }
}

class Channel {
  #values = [];
  #readers = [];
  send(value) { this.#readers.length ? this.#readers.shift().resolve(value) : this.#values.push(value); }
  async receive() {
    if (this.#values.length) return this.#values.shift();
    const reader = Promise.withResolvers();
    this.#readers.push(reader);
    return reader.promise;
  }
}

const semaphore = new Semaphore(3);
let running = 0, most = 0;
const answers = await Promise.all(Array.from({ length: 9 }, (_, i) => semaphore.use(async () => {
  most = Math.max(most, ++running);
  const { answer } = await db.slowQuery({ ms: 1 + (i % 3), answer: i });
  running--;
  return answer;
})));

const channel = new Channel();
const producer = (async () => {
  for (const word of ['one', 'two', 'three']) channel.send(await db.slowQuery({ ms: 1, answer: word }));
  channel.send(null);
})();
const received = [];
for (let message; (message = await channel.receive()) !== null; ) received.push(message.answer);
await producer;

let made = 0;
const once = (make) => { let value; return () => (value ??= make()); };
const connection = once(async () => { made++; return db.count({ table: 'orders' }); });
const counts = await Promise.all([connection(), connection(), connection()]);

const order = [];
setTimeout(() => order.push('timer'), 0);
queueMicrotask(() => order.push('microtask'));
Promise.resolve().then(() => order.push('promise'));
order.push('now');
await new Promise((resolve) => setTimeout(resolve, 5));
console.log(order.join(' → '));
({ answers, most, received, counts, made });
