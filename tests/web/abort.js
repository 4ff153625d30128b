// AbortController and AbortSignal.
const print = (...values) => console.log(values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' '));
const thrown = (action) => { try { action(); return 'nothing'; } catch (error) { return error?.name ?? String(error); } };
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

const controller = new AbortController();
const { signal } = controller;
print(signal.aborted, signal.reason === undefined, signal.onabort, signal instanceof EventTarget, thrown(() => signal.throwIfAborted()));
const seen = [];
signal.onabort = (event) => seen.push('attribute ' + event.type + ' ' + (event.target === signal));
signal.addEventListener('abort', () => seen.push('listener'));
controller.abort();
controller.abort('again');
print(seen, signal.aborted, signal.reason.name, signal.reason.code, signal.reason.message, thrown(() => signal.throwIfAborted()));
print(Object.prototype.toString.call(signal), Object.prototype.toString.call(controller), thrown(() => new AbortSignal()));

const own = new AbortController();
own.abort('a reason');
print(own.signal.reason, thrown(() => own.signal.throwIfAborted()));
print(AbortSignal.abort().reason.name, AbortSignal.abort(7).reason, AbortSignal.abort(7).aborted);

const late = AbortSignal.timeout(5);
print(late.aborted);
await sleep(40);
print(late.aborted, late.reason.name, late.reason.message, late.reason instanceof DOMException);
print(thrown(() => AbortSignal.timeout(-1)), thrown(() => AbortSignal.timeout()));

const a = new AbortController();
const b = new AbortController();
const any = AbortSignal.any([a.signal, b.signal]);
const nested = AbortSignal.any([any, new AbortController().signal]);
const order = [];
nested.addEventListener('abort', () => order.push('nested'));
any.addEventListener('abort', () => order.push('any'));
a.signal.addEventListener('abort', () => order.push('a'));
b.abort('from b');
a.abort('from a');
print(any.aborted, any.reason, nested.reason, order.sort());
print(AbortSignal.any([]).aborted, AbortSignal.any([AbortSignal.abort('early'), a.signal]).reason, thrown(() => AbortSignal.any([{}])));

// What programs do with it: a wait that can be given up.
const wait = (ms, { signal }) => new Promise((done, fail) => {
  if (signal.aborted) return fail(signal.reason);
  const timer = setTimeout(done, ms);
  signal.addEventListener('abort', () => { clearTimeout(timer); fail(signal.reason); }, { once: true });
});
try { await wait(10_000, { signal: AbortSignal.timeout(5) }); } catch (error) { print('gave up:', error.name); }
