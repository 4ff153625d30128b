// Event, CustomEvent, EventTarget.
const print = (...values) => console.log(values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' '));
const thrown = (action) => { try { action(); return 'nothing'; } catch (error) { return error.name; } };

const target = new EventTarget();
const seen = [];
const first = (event) => seen.push('first ' + event.type);
target.addEventListener('a', first);
target.addEventListener('a', first);
target.addEventListener('a', first, { capture: true });
target.addEventListener('a', { handleEvent(event) { seen.push('object ' + (this !== target) + ' ' + (event.target === target)); } });
target.addEventListener('a', () => seen.push('once'), { once: true });
target.dispatchEvent(new Event('a'));
target.removeEventListener('a', first);
target.dispatchEvent(new Event('a'));
print(seen.join(', '));

const event = new Event('b', { cancelable: true, bubbles: true });
print(event.type, event.bubbles, event.cancelable, event.composed, event.defaultPrevented, event.isTrusted, event.eventPhase, event.target);
target.addEventListener('b', (e) => { e.preventDefault(); print('phase', e.eventPhase, e.composedPath().length, e.target === target); });
print(target.dispatchEvent(event), event.defaultPrevented, event.returnValue, event.eventPhase, event.target === target, event.currentTarget);
print(new Event('c').composedPath(), Event.AT_TARGET);

const stopped = [];
target.addEventListener('s', (e) => { stopped.push(1); e.stopImmediatePropagation(); });
target.addEventListener('s', () => stopped.push(2));
target.dispatchEvent(new Event('s'));
print(stopped);

const passive = new Event('p', { cancelable: true });
target.addEventListener('p', (e) => e.preventDefault(), { passive: true });
print(target.dispatchEvent(passive), passive.defaultPrevented);

const added = [];
target.addEventListener('add', () => { added.push('x'); target.addEventListener('add', () => added.push('y')); });
target.dispatchEvent(new Event('add'));
print(added);

const custom = new CustomEvent('c', { detail: { n: 1 } });
print(custom.detail, custom instanceof Event, new CustomEvent('d').detail, Object.prototype.toString.call(custom));
print(thrown(() => new Event()), thrown(() => target.dispatchEvent({})), thrown(() => target.addEventListener('a')), thrown(() => EventTarget()));
target.addEventListener('again', (e) => print(thrown(() => target.dispatchEvent(e)) !== 'nothing'));
target.dispatchEvent(new Event('again'));
class Own extends EventTarget { fire(value) { return this.dispatchEvent(new CustomEvent('own', { detail: value })); } }
const own = new Own();
own.addEventListener('own', (e) => print(e.detail, e.target === own));
own.fire(5);
print(Object.keys(EventTarget.prototype).sort());
const controller = new AbortController();
const counted = [];
target.addEventListener('sig', () => counted.push(1), { signal: controller.signal });
target.dispatchEvent(new Event('sig'));
controller.abort();
target.dispatchEvent(new Event('sig'));
print(counted);

// Which of many are left, and in which order.
{
  const target = new EventTarget();
  const order = [];
  const listeners = Array.from({ length: 8 }, (_, i) => () => order.push(i));
  for (const listener of listeners) target.addEventListener('many', listener);
  for (const listener of listeners) target.addEventListener('many', listener);
  for (let i = 0; i < 8; i += 3) target.removeEventListener('many', listeners[i]);
  target.removeEventListener('many', listeners[0]);
  target.addEventListener('many', listeners[0]);
  target.addEventListener('many', listeners[1], true);
  target.addEventListener('many', () => target.removeEventListener('many', listeners[2]), { once: true });
  target.dispatchEvent(new Event('many'));
  order.push('again');
  target.dispatchEvent(new Event('many'));
  console.log(order.join(' '));
}

// The same function as a handler and as a listener is called twice.
{
  const controller = new AbortController();
  let calls = 0;
  const both = () => calls++;
  controller.signal.onabort = both;
  controller.signal.addEventListener('abort', both);
  controller.abort();
  console.log(calls);
}
