// Events: an emitter of our own, EventTarget, debouncing, an abort signal that ends a subscription.
class Emitter {
  #handlers = new Map();
  on(event, handler) {
    if (!this.#handlers.has(event)) this.#handlers.set(event, new Set());
    this.#handlers.get(event).add(handler);
    return () => this.off(event, handler);
  }
  once(event, handler) {
    const off = this.on(event, (...args) => { off(); handler(...args); });
    return off;
  }
  off(event, handler) { return this.#handlers.get(event)?.delete(handler) ?? false; }
  emit(event, ...args) {
    const handlers = [...(this.#handlers.get(event) ?? [])];
    handlers.forEach((handler) => { try { handler(...args); } catch (error) { if (event !== 'error') this.emit('error', error); } });
    return handlers.length;
  }
}

const log = [];
const emitter = new Emitter();
const unsubscribe = emitter.on('order', ({ id }) => log.push(`order ${id}`));
emitter.once('order', () => log.push('the first'));
emitter.on('order', () => { throw new Error('bad handler'); });
emitter.on('error', (error) => log.push(error.message));
const reached = [emitter.emit('order', { id: 1 }), emitter.emit('order', { id: 2 }), (unsubscribe(), emitter.emit('order', { id: 3 })), emitter.emit('nothing')];

const target = new EventTarget();
const controller = new AbortController();
target.addEventListener('progress', ({ detail, type }) => log.push(`${type} ${detail}`), { signal: controller.signal });
target.addEventListener('progress', { handleEvent: (event) => event.preventDefault() }, { once: true });
const first = target.dispatchEvent(new CustomEvent('progress', { detail: 10, cancelable: true }));
controller.abort();
const second = target.dispatchEvent(new CustomEvent('progress', { detail: 20, cancelable: true }));

const debounce = (fn, ms) => { let timer; return (...args) => { clearTimeout(timer); timer = setTimeout(fn, ms, ...args); }; };
const typed = [];
const search = debounce((text) => typed.push(text), 5);
for (const text of ['t', 'te', 'tea']) search(text);
await new Promise((resolve) => setTimeout(resolve, 30));

let ticks = 0;
await new Promise((resolve) => { const interval = setInterval(() => { if (++ticks === 3) { clearInterval(interval); resolve(); } }, 1); });
console.log(log.join('; '));
({ reached, first, second, aborted: [controller.signal.aborted, controller.signal.reason.name], typed, ticks });
