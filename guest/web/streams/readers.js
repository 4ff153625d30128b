// How a readable stream is read: by its two readers, and by async iteration.

// What both readers share: { stream, closed, requests, isByob }.
function acquire(state, isByob) {
  if (state.reader !== null) throw new TypeError('The stream is locked to a reader already');
  if (isByob && !state.controller.isBytes) throw new TypeError('Only a byte stream has a BYOB reader');
  const reader = { __proto__: null, stream: state, closed: deferred(), requests: newList(), isByob };
  state.reader = reader;
  if (state.state === 'closed') reader.closed.resolve(undefined);
  if (state.state === 'errored') {
    reader.closed.reject(state.error);
    handled(reader.closed.promise);
  }
  return reader;
}

function release(reader) {
  const { stream } = reader;
  if (stream === null) return;
  const error = new TypeError('The reader was released');
  if (stream.state === 'readable') reader.closed.reject(error);
  else {
    reader.closed = deferred();
    reader.closed.reject(error);
  }
  handled(reader.closed.promise);
  stream.reader = null;
  reader.stream = null;
  const { requests } = reader;
  reader.requests = newList();
  for (let i = 0; i < requests.length; i++) requests[i].error(error);
}

const released = () => new TypeError('The reader was released');

function readPromise(reader, extra) {
  if (reader.stream === null) return rejectedPromise(released());
  const { promise, resolve, reject } = deferred();
  readChunk(reader.stream, {
    __proto__: null,
    ...extra,
    chunk: (value) => resolve({ value, done: false }),
    close: () => resolve({ value: extra === undefined ? undefined : extra.view(extra.buffer, 0), done: true }),
    error: reject,
  });
  return promise;
}

class ReadableStreamDefaultReader {
  #reader;
  constructor(stream) {
    requireArguments(arguments.length, 1, 'ReadableStreamDefaultReader');
    this.#reader = acquire(readableState(stream), false);
  }
  get closed() { return #reader in this ? this.#reader.closed.promise : rejectedPromise(new TypeError('Illegal invocation')); }
  cancel(reason = undefined) {
    if (!(#reader in this)) return rejectedPromise(new TypeError('Illegal invocation'));
    return this.#reader.stream === null ? rejectedPromise(released()) : cancelReadable(this.#reader.stream, reason);
  }
  read() { return #reader in this ? readPromise(this.#reader) : rejectedPromise(new TypeError('Illegal invocation')); }
  releaseLock() { release(this.#reader); }
}
expose(ReadableStreamDefaultReader);

class ReadableStreamBYOBReader {
  #reader;
  constructor(stream) {
    requireArguments(arguments.length, 1, 'ReadableStreamBYOBReader');
    this.#reader = acquire(readableState(stream), true);
  }
  get closed() { return this.#reader.closed.promise; }
  cancel(reason = undefined) {
    return this.#reader.stream === null ? rejectedPromise(released()) : cancelReadable(this.#reader.stream, reason);
  }
  async read(view) {
    const reader = this.#reader;
    const kind = natives.kind(view);
    if (kind !== KIND.typedArray && kind !== KIND.dataView) throw new TypeError('read wants a view of an ArrayBuffer');
    const isArray = kind === KIND.typedArray;
    const length = isArray ? typedArrayByteLength(view) : viewByteLength(view);
    if (length === 0) throw new TypeError('The view is empty');
    const Class = isArray ? arrayClasses[typedArrayName(view)] : DataView;
    const unit = isArray ? length / typedArrayLength(view) : 1;
    const offset = isArray ? typedArrayOffset(view) : viewOffset(view);
    const given = isArray ? typedArrayBuffer(view) : viewBuffer(view);
    const buffer = bufferSlice(given, 0);
    natives.detach(given);
    return readPromise(reader, { buffer, offset, length, view: (filled, size) => new Class(filled, offset, Math_trunc(size / unit)) });
  }
  releaseLock() { release(this.#reader); }
}
expose(ReadableStreamBYOBReader);

// Async iteration: one read after the other, and `return` cancels.
const AsyncIteratorPrototype = getPrototypeOf(getPrototypeOf(async function* () {}).prototype);
class ReadableStreamIterator {
  #reader;
  #preventCancel;
  #last = undefined;
  #over = false;
  constructor(reader, preventCancel) {
    this.#reader = reader;
    this.#preventCancel = preventCancel;
  }
  next() { return this.#after(() => this.#next()); }
  return(value = undefined) { return this.#after(() => this.#return(value)); }
  #after(step) {
    const promise = this.#last === undefined ? step() : promiseThen(this.#last, step, step);
    const over = () => { if (this.#last === last) this.#last = undefined; };
    const last = react(promise, over, over);
    this.#last = last;
    return promise;
  }
  #next() {
    if (this.#over) return settledPromise({ value: undefined, done: true });
    const { promise, resolve, reject } = deferred();
    const end = (settle) => (value) => {
      this.#over = true;
      release(this.#reader);
      settle(value);
    };
    readChunk(this.#reader.stream, {
      __proto__: null,
      chunk: (value) => resolve({ value, done: false }),
      close: end(() => resolve({ value: undefined, done: true })),
      error: end(reject),
    });
    return promise;
  }
  #return(value) {
    if (this.#over) return settledPromise({ value, done: true });
    this.#over = true;
    const done = this.#preventCancel ? settledPromise(undefined) : cancelReadable(this.#reader.stream, value);
    release(this.#reader);
    return promiseThen(done, () => ({ value, done: true }));
  }
}
setPrototypeOf(ReadableStreamIterator.prototype, AsyncIteratorPrototype);
delete ReadableStreamIterator.prototype.constructor;
show(ReadableStreamIterator.prototype, ['next', 'return']);
