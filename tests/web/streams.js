// Web streams.
const print = (...values) => console.log(values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' '));
const thrown = (action) => { try { action(); return 'nothing'; } catch (error) { return error.name; } };
const rejected = async (promise) => { try { await promise; return 'nothing'; } catch (error) { return error.message ?? String(error); } };
const all = async (iterable) => { const list = []; for await (const item of iterable) list.push(item); return list; };
const count = (to) => new ReadableStream({ start(c) { this.n = 0; }, pull(c) { this.n++ < to ? c.enqueue(this.n) : c.close(); } });
const tick = () => new Promise((done) => setTimeout(done, 1));

// Reading.
print(await all(count(5)), await all(ReadableStream.from(['a', 'b'])), await all(ReadableStream.from((async function* () { yield 1; yield 2; })())));
const reader = count(2).getReader();
print(await reader.read(), await reader.read(), await reader.read(), await reader.read(), await reader.closed === undefined);
const queued = new ReadableStream({ start(c) { c.enqueue(1); c.enqueue(2); print('wants', c.desiredSize); c.close(); print(thrown(() => c.enqueue(3)), thrown(() => c.close())); } });
print(queued.locked, await all(queued), queued.locked);
const waiting = [];
const slow = new ReadableStream({ start(c) { waiting.push(c); } });
const both = slow.getReader();
const reads = [both.read(), both.read()];
waiting[0].enqueue('x');
waiting[0].enqueue('y');
print(await Promise.all(reads));
print(thrown(() => slow.getReader()), await rejected(slow.cancel()) !== 'nothing', slow.locked);
both.releaseLock();
print(slow.locked, thrown(() => slow.getReader({ mode: 'byob' })), thrown(() => slow.getReader({ mode: 'x' })));

// Errors and cancelling.
const failing = new ReadableStream({ pull(c) { c.error(new Error('broken')); } });
print(await rejected(failing.getReader().read()));
print(await rejected(all(new ReadableStream({ pull() { throw new Error('from pull'); } }))));
print(await rejected(all(new ReadableStream({ async start() { throw new Error('from start'); } }))));
print(thrown(() => new ReadableStream({ start() { throw new RangeError('at once'); } })));
const cancelled = [];
const cancellable = () => new ReadableStream({ pull(c) { c.enqueue(1); }, cancel(reason) { cancelled.push(String(reason)); } });
await cancellable().cancel('because');
for await (const item of cancellable()) break;
for await (const item of cancellable().values({ preventCancel: true })) break;
try { for await (const item of cancellable()) throw new Error('left'); } catch {}
print(cancelled);

// Back pressure: a source is asked for what is wanted.
let pulls = 0;
const lazy = new ReadableStream({ pull(c) { pulls++; c.enqueue(pulls); } }, { highWaterMark: 3 });
await tick();
print(pulls);
const lazyReader = lazy.getReader();
await lazyReader.read();
await tick();
print(pulls);
let none = 0;
new ReadableStream({ pull() { none++; } }, new CountQueuingStrategy({ highWaterMark: 0 }));
await tick();
print(none, new ByteLengthQueuingStrategy({ highWaterMark: 4 }).size(new Uint8Array(3)), new CountQueuingStrategy({ highWaterMark: 4 }).highWaterMark);

// Tee.
const [left, right] = count(3).tee();
print(await all(left), await all(right));

// Byte streams.
const bytes = new ReadableStream({ type: 'bytes', start(c) { c.enqueue(new Uint8Array([1, 2, 3])); c.enqueue(new Uint8Array([4])); c.close(); } });
print((await all(bytes)).map((chunk) => [...chunk]));
const own = new ReadableStream({ type: 'bytes', start(c) { c.enqueue(new Uint8Array([1, 2, 3])); c.close(); } }).getReader({ mode: 'byob' });
const got = await own.read(new Uint8Array(2));
const rest = await own.read(new Uint8Array(2));
print([...got.value], [...rest.value], (await own.read(new Uint8Array(2))).done);
print(thrown(() => new ReadableStream({ type: 'bytes', start(c) { c.enqueue('text'); } })), thrown(() => new ReadableStream({ type: 'other' })));

// Writing.
const written = [];
const sink = new WritableStream({ start() { written.push('start'); }, async write(chunk) { await tick(); written.push(chunk); }, close() { written.push('close'); }, abort(reason) { written.push('abort ' + reason); } });
const writer = sink.getWriter();
print(writer.desiredSize, sink.locked);
const first = writer.write('a');
print(writer.desiredSize);
writer.write('b');
await writer.ready;
await writer.close();
print(written, await first === undefined, await writer.closed === undefined, await rejected(writer.write('late')) !== 'nothing');
const aborted = [];
const stopping = new WritableStream({ write() {}, abort(reason) { aborted.push(reason); } });
await stopping.abort('stop');
print(aborted, await rejected(stopping.getWriter().closed));
const broken = new WritableStream({ write() { throw new Error('full'); } }).getWriter();
print(await rejected(broken.write(1)), await rejected(broken.closed), await rejected(broken.write(2)), broken.desiredSize);
const erring = new WritableStream({ start(c) { erring_c = c; } });
var erring_c;
erring_c.error(new Error('by controller'));
print(await rejected(erring.getWriter().closed), erring_c.signal.aborted);

// Pipes and transforms.
const upper = () => new TransformStream({ transform(chunk, c) { c.enqueue(chunk.toUpperCase()); }, flush(c) { c.enqueue('END'); } });
print(await all(ReadableStream.from(['a', 'b']).pipeThrough(upper())));
print(await all(count(3).pipeThrough(new TransformStream())));
const into = [];
await count(4).pipeTo(new WritableStream({ async write(chunk) { await tick(); into.push(chunk); }, close() { into.push('closed'); } }));
print(into);
print(await rejected(count(4).pipeTo(new WritableStream({ write(chunk) { if (chunk === 2) throw new Error('no two'); } }))));
print(await rejected(new ReadableStream({ pull(c) { c.error(new Error('source')); } }).pipeTo(new WritableStream({ abort(reason) { print('aborted by', reason.message); } }))));
const controller = new AbortController();
const endless = new ReadableStream({ async pull(c) { await tick(); c.enqueue(1); }, cancel(reason) { print('cancelled by', reason.name); } });
setTimeout(() => controller.abort(), 10);
print(await rejected(endless.pipeTo(new WritableStream(), { signal: controller.signal })));
print(await rejected(all(ReadableStream.from([1]).pipeThrough(new TransformStream({ transform() { throw new Error('in transform'); } })))));
const several = new TransformStream({ transform(chunk, c) { for (const part of chunk.split(',')) c.enqueue(part); } });
print(await all(ReadableStream.from(['1,2', '3']).pipeThrough(several)));
const short = new TransformStream({ transform(chunk, c) { c.enqueue(chunk); if (chunk === 2) c.terminate(); } });
print(await all(count(5).pipeThrough(short)));

// Text.
const text = ReadableStream.from(['a€', '\ud83d', '\ude00']).pipeThrough(new TextEncoderStream());
print((await all(text)).map((chunk) => [...chunk]));
const cut = [[0x61, 0xe2], [0x82], [0xac, 0x62]].map((list) => new Uint8Array(list));
print(await all(ReadableStream.from(cut).pipeThrough(new TextDecoderStream())));
const lines = () => { let kept = ''; return new TransformStream({ transform(chunk, c) { const parts = (kept + chunk).split('\n'); kept = parts.pop(); for (const line of parts) c.enqueue(line); }, flush(c) { if (kept) c.enqueue(kept); } }); };
print(await all(new Blob(['one\ntwo\nthr', 'ee']).stream().pipeThrough(new TextDecoderStream()).pipeThrough(lines())));
print(Object.prototype.toString.call(new ReadableStream()), Object.prototype.toString.call(new TransformStream().writable));
