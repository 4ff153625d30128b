// ReadableStream, WritableStream and TransformStream, as the Streams Standard has them. What is
// left out: a byte stream hands its chunks over as copies, and its source gets no byobRequest.

const settledPromise = (value) => new Promise((resolve) => resolve(value));
const rejectedPromise = (reason) => new Promise((resolve, reject) => reject(reason));
const handled = (promise) => {
  natives.markHandled(promise);
  return promise;
};
const react = (promise, fulfilled, rejected) => handled(promiseThen(promise, fulfilled, rejected));

function deferred() {
  const made = { __proto__: null, promise: undefined, resolve: undefined, reject: undefined };
  made.promise = new Promise((resolve, reject) => {
    made.resolve = resolve;
    made.reject = reject;
  });
  return made;
}

// A method of the program's, as a function that always gives a promise.
function promiseCall(method, self) {
  if (method === undefined) return () => settledPromise(undefined);
  return (...given) => {
    try {
      return settledPromise(apply(method, self, given));
    } catch (error) {
      return rejectedPromise(error);
    }
  };
}

function methodOf(object, name) {
  const method = object[name];
  if (method !== undefined && typeof method !== 'function') throw new TypeError(`${name} must be a function`);
  return method;
}

// A queue whose parts have sizes.
const newQueue = () => ({ __proto__: null, chunks: newList(), head: 0, total: 0 });
const isEmpty = (queue) => queue.head === queue.chunks.length;
function push(queue, chunk, size) {
  size = Number(size);
  if (!(size >= 0) || size === Infinity) throw new RangeError('The size of a chunk must be a finite number, 0 or more');
  queue.chunks[queue.chunks.length] = { __proto__: null, chunk, size };
  queue.total += size;
}
function shift(queue) {
  const { chunk, size } = queue.chunks[queue.head];
  queue.chunks[queue.head++] = undefined;
  queue.total = Math_max(queue.total - size, 0);
  if (queue.head > 64 && queue.head * 2 > queue.chunks.length) {
    const kept = newList();
    for (let i = queue.head; i < queue.chunks.length; i++) kept[kept.length] = queue.chunks[i];
    queue.chunks = kept;
    queue.head = 0;
  }
  return chunk;
}
function reset(queue) {
  queue.chunks = newList();
  queue.head = queue.total = 0;
}

function highWaterMark(strategy, otherwise) {
  if (strategy.highWaterMark === undefined) return otherwise;
  const mark = Number(strategy.highWaterMark);
  if (!(mark >= 0)) throw new RangeError('highWaterMark must be a number, 0 or more');
  return mark;
}
function sizeFunction(strategy) {
  const size = methodOf(strategy, 'size');
  return size === undefined ? () => 1 : (chunk) => size(chunk);
}

for (const [name, size] of [['ByteLengthQueuingStrategy', (chunk) => chunk.byteLength], ['CountQueuingStrategy', () => 1]]) {
  defineProperty(size, 'name', { __proto__: null, value: 'size', configurable: true });
  const Class = class {
    #mark;
    constructor(init) {
      requireArguments(arguments.length, 1, name);
      const { highWaterMark: mark } = dictionary(init, `The argument of ${name}`);
      if (mark === undefined) throw new TypeError('highWaterMark is required');
      this.#mark = Number(mark);
    }
    get highWaterMark() { return this.#mark; }
    get size() { return #mark in this ? size : undefined; }
  };
  defineProperty(Class, 'name', { __proto__: null, value: name, configurable: true });
  expose(Class);
}

// Readable streams. A stream's state is a record; the objects that programs hold point to it.

let readableState;

function closeReadable(state) {
  state.state = 'closed';
  const { reader } = state;
  if (reader === null) return;
  reader.closed.resolve(undefined);
  const { requests } = reader;
  reader.requests = newList();
  for (let i = 0; i < requests.length; i++) requests[i].close();
}

function errorReadable(state, error) {
  if (state.state !== 'readable') return;
  state.state = 'errored';
  state.error = error;
  const { reader } = state;
  if (reader === null) return;
  reader.closed.reject(error);
  handled(reader.closed.promise);
  const { requests } = reader;
  reader.requests = newList();
  for (let i = 0; i < requests.length; i++) requests[i].error(error);
}

function cancelReadable(state, reason) {
  state.disturbed = true;
  if (state.state === 'closed') return settledPromise(undefined);
  if (state.state === 'errored') return rejectedPromise(state.error);
  closeReadable(state);
  const { controller } = state;
  reset(controller.queue);
  const done = controller.cancel(reason);
  forgetSource(controller);
  return promiseThen(done, noop);
}

function forgetSource(controller) {
  controller.pull = controller.cancel = () => settledPromise(undefined);
  controller.sizeOf = () => 1;
}

const mayEnqueue = (controller) => !controller.closeRequested && controller.stream.state === 'readable';

function desiredSize(controller) {
  const { state } = controller.stream;
  return state === 'errored' ? null : state === 'closed' ? 0 : controller.mark - controller.queue.total;
}

function wantsPull(controller) {
  if (!mayEnqueue(controller) || !controller.started) return false;
  const { reader } = controller.stream;
  return (reader !== null && reader.requests.length > 0) || desiredSize(controller) > 0;
}

function pullIfNeeded(controller) {
  if (!wantsPull(controller)) return;
  if (controller.pulling) {
    controller.pullAgain = true;
    return;
  }
  controller.pulling = true;
  react(controller.pull(controller.object), () => {
    controller.pulling = false;
    if (!controller.pullAgain) return;
    controller.pullAgain = false;
    pullIfNeeded(controller);
  }, (error) => failReadable(controller, error));
}

function failReadable(controller, error) {
  if (controller.stream.state !== 'readable') return;
  reset(controller.queue);
  forgetSource(controller);
  errorReadable(controller.stream, error);
}

function finishReadable(controller) {
  if (!mayEnqueue(controller)) throw new TypeError('The stream is closed or errored already');
  controller.closeRequested = true;
  if (!isEmpty(controller.queue)) return;
  forgetSource(controller);
  closeReadable(controller.stream);
}

function shiftRequest(reader) {
  const request = reader.requests[0];
  const left = newList();
  for (let i = 1; i < reader.requests.length; i++) left[i - 1] = reader.requests[i];
  reader.requests = left;
  return request;
}

function enqueue(controller, chunk) {
  if (!mayEnqueue(controller)) throw new TypeError('The stream is closed or errored already');
  const { reader } = controller.stream;
  if (reader !== null && !reader.isByob && reader.requests.length > 0) {
    shiftRequest(reader).chunk(chunk);
  } else {
    try {
      push(controller.queue, chunk, controller.isBytes ? typedArrayByteLength(chunk) : controller.sizeOf(chunk));
    } catch (error) {
      failReadable(controller, error);
      throw error;
    }
    if (reader !== null && reader.isByob && reader.requests.length > 0) {
      const request = shiftRequest(reader);
      readInto(controller, request);
    }
  }
  pullIfNeeded(controller);
}

function afterRead(controller) {
  if (controller.closeRequested && isEmpty(controller.queue)) {
    forgetSource(controller);
    closeReadable(controller.stream);
  } else {
    pullIfNeeded(controller);
  }
}

function readChunk(state, request) {
  state.disturbed = true;
  if (state.state === 'closed') return request.close();
  if (state.state === 'errored') return request.error(state.error);
  const { controller } = state;
  if (isEmpty(controller.queue)) {
    const { requests } = state.reader;
    requests[requests.length] = request;
    pullIfNeeded(controller);
  } else if (state.reader.isByob) {
    readInto(controller, request);
    afterRead(controller);
  } else {
    const chunk = shift(controller.queue);
    afterRead(controller);
    request.chunk(chunk);
  }
}

// Fills the view of a BYOB request from the queue's bytes.
function readInto(controller, request) {
  const { queue } = controller;
  const room = new Uint8Array(bufferSlice(request.buffer, 0), request.offset, request.length);
  let at = 0;
  while (at < request.length && !isEmpty(queue)) {
    const chunk = shift(queue);
    const size = typedArrayByteLength(chunk);
    const fits = Math_min(size, request.length - at);
    typedArraySet(room, new Uint8Array(typedArrayBuffer(chunk), typedArrayOffset(chunk), fits), at);
    at += fits;
    if (fits === size) continue;
    queue.head--;
    const left = new Uint8Array(typedArrayBuffer(chunk), typedArrayOffset(chunk) + fits, size - fits);
    queue.chunks[queue.head] = { __proto__: null, chunk: left, size: size - fits };
    queue.total += size - fits;
  }
  request.chunk(request.view(typedArrayBuffer(room), at));
}

function copiedBytes(chunk) {
  const kind = natives.kind(chunk);
  if (kind !== KIND.typedArray && kind !== KIND.dataView) throw new TypeError('The chunk of a byte stream must be a view of an ArrayBuffer');
  if (!isBytes(chunk)) throw new TypeError('The buffer of the chunk is detached');
  const bytes = natives.bytesCopy(chunk);
  if (typedArrayByteLength(bytes) === 0) throw new TypeError('The chunk is empty');
  return bytes;
}

function controllerMembers(isBytes) {
  return class {
    #state;
    constructor(token, state) {
      if (token !== madeHere) throw illegal();
      this.#state = state;
    }
    get desiredSize() { return desiredSize(this.#state); }
    close() { finishReadable(this.#state); }
    enqueue(chunk = undefined) {
      const state = this.#state;
      if (isBytes) requireArguments(arguments.length, 1, 'enqueue');
      enqueue(state, isBytes ? copiedBytes(chunk) : chunk);
    }
    error(reason = undefined) { failReadable(this.#state, reason); }
    static {
      if (isBytes) defineProperty(this.prototype, 'byobRequest', { __proto__: null, get() { return null; }, configurable: true });
    }
  };
}
const ReadableStreamDefaultController = controllerMembers(false);
const ReadableByteStreamController = controllerMembers(true);
defineProperty(ReadableStreamDefaultController, 'name', { __proto__: null, value: 'ReadableStreamDefaultController', configurable: true });
defineProperty(ReadableByteStreamController, 'name', { __proto__: null, value: 'ReadableByteStreamController', configurable: true });
expose(ReadableStreamDefaultController);
expose(ReadableByteStreamController);
const enqueueBytes = uncurry(ReadableByteStreamController.prototype.enqueue);
const closeBytes = uncurry(ReadableByteStreamController.prototype.close);

function setUpReadable(state, { start, pull, cancel, mark, sizeOf, isBytes = false }) {
  const controller = {
    __proto__: null, stream: state, queue: newQueue(), mark, sizeOf, isBytes, pull, cancel, started: false, pulling: false,
    pullAgain: false, closeRequested: false, object: undefined,
  };
  controller.object = new (isBytes ? ReadableByteStreamController : ReadableStreamDefaultController)(madeHere, controller);
  state.controller = controller;
  react(settledPromise(start(controller.object)), () => {
    controller.started = true;
    pullIfNeeded(controller);
  }, (error) => failReadable(controller, error));
  return controller;
}

const newReadableState = () => ({
  __proto__: null, state: 'readable', error: undefined, reader: null, disturbed: false, controller: null,
});

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

class ReadableStream {
  #state = newReadableState();

  constructor(source = undefined, strategy = undefined) {
    if (source === madeHere) return;
    if (source === null) throw new TypeError('The source of a stream must be an object');
    source = dictionary(source, 'The source of a stream');
    strategy = dictionary(strategy, 'The strategy of a stream');
    const { type } = source;
    if (type !== undefined && `${type}` !== 'bytes') throw new TypeError(`${type} is no type of a stream`);
    const isBytes = type !== undefined;
    if (isBytes && strategy.size !== undefined) throw new RangeError('The strategy of a byte stream has no size');
    const start = methodOf(source, 'start');
    setUpReadable(this.#state, {
      start: start === undefined ? noop : (controller) => apply(start, source, [controller]),
      pull: promiseCall(methodOf(source, 'pull'), source),
      cancel: promiseCall(methodOf(source, 'cancel'), source),
      mark: highWaterMark(strategy, isBytes ? 0 : 1),
      sizeOf: sizeFunction(strategy),
      isBytes,
    });
  }

  get locked() { return this.#state.reader !== null; }
  cancel(reason = undefined) {
    if (!(#state in this)) return rejectedPromise(new TypeError('Illegal invocation'));
    if (this.#state.reader !== null) return rejectedPromise(new TypeError('A stream that is locked cannot be cancelled'));
    return cancelReadable(this.#state, reason);
  }
  getReader(options = undefined) {
    const { mode } = dictionary(options, 'The options of getReader');
    this.#state;
    if (mode === undefined) return new ReadableStreamDefaultReader(this);
    if (`${mode}` !== 'byob') throw new TypeError(`${mode} is no mode of a reader`);
    return new ReadableStreamBYOBReader(this);
  }
  pipeThrough(transform, options = undefined) {
    requireArguments(arguments.length, 1, 'pipeThrough');
    const { readable, writable } = transform;
    readableState(readable);
    const to = writableState(writable);
    if (this.#state.reader !== null) throw new TypeError('The readable stream is locked');
    if (to.writer !== null) throw new TypeError('The writable stream is locked');
    handled(pipe(this.#state, to, pipeOptions(options)));
    return readable;
  }
  pipeTo(destination, options = undefined) {
    try {
      requireArguments(arguments.length, 1, 'pipeTo');
      const to = writableState(destination);
      const how = pipeOptions(options);
      if (this.#state.reader !== null) throw new TypeError('The readable stream is locked');
      if (to.writer !== null) throw new TypeError('The writable stream is locked');
      return pipe(this.#state, to, how);
    } catch (error) {
      return rejectedPromise(error);
    }
  }
  tee() { return tee(this.#state); }
  values(options = undefined) {
    const { preventCancel } = dictionary(options, 'The options of values');
    return new ReadableStreamIterator(acquire(this.#state, false), !!preventCancel);
  }
  static from(source) {
    requireArguments(arguments.length, 1, 'ReadableStream.from');
    return readableFrom(source);
  }
  static {
    readableState = (stream) => {
      if (!isObject(stream) || !(#state in stream)) throw new TypeError('It must be a ReadableStream');
      return stream.#state;
    };
  }
}
defineProperty(ReadableStream.prototype, asyncIterator, {
  __proto__: null, value: ReadableStream.prototype.values, writable: true, configurable: true,
});
expose(ReadableStream);

function newReadable(parts) {
  const stream = new ReadableStream(madeHere);
  const controller = setUpReadable(readableState(stream), {
    start: noop, cancel: () => settledPromise(undefined), mark: 1, sizeOf: () => 1, ...parts,
  });
  return { __proto__: null, stream, controller };
}

function readableFrom(source) {
  if (!isObject(source) && typeof source !== 'string') throw new TypeError('ReadableStream.from wants an iterable');
  const method = source[asyncIterator] ?? source[iterator];
  if (typeof method !== 'function') throw new TypeError('ReadableStream.from wants an iterable');
  const it = apply(method, source, []);
  if (!isObject(it)) throw new TypeError('The iterator is not an object');
  const { next } = it;
  const pull = async () => {
    const step = await apply(next, it, []);
    if (!isObject(step)) throw new TypeError('The iterator gave no object');
    if (step.done) finishReadable(made.controller);
    else enqueue(made.controller, await step.value);
  };
  const cancel = async (reason) => {
    const stop = it.return;
    if (stop === undefined) return;
    if (!isObject(await apply(stop, it, [reason]))) throw new TypeError('The iterator gave no object');
  };
  const made = newReadable({ pull, cancel, mark: 0 });
  return made.stream;
}

function tee(state) {
  const reader = acquire(state, false);
  let reading = false;
  let readAgain = false;
  const cancelled = [false, false];
  const reasons = [undefined, undefined];
  const bothCancelled = deferred();
  const branches = newList();
  const each = (step) => {
    for (let i = 0; i < 2; i++) if (!cancelled[i]) step(branches[i].controller);
  };
  const pull = () => {
    if (reading) {
      readAgain = true;
      return settledPromise(undefined);
    }
    reading = true;
    readChunk(state, {
      __proto__: null,
      chunk: (value) => queueMicrotask(() => {
        readAgain = false;
        each((controller) => enqueue(controller, controller.isBytes ? natives.bytesCopy(value) : value));
        reading = false;
        if (readAgain) pull();
      }),
      close: () => {
        reading = false;
        each(finishReadable);
        if (!cancelled[0] || !cancelled[1]) bothCancelled.resolve(undefined);
      },
      error: () => { reading = false; },
    });
    return settledPromise(undefined);
  };
  const cancel = (which) => (reason) => {
    cancelled[which] = true;
    reasons[which] = reason;
    if (cancelled[1 - which]) bothCancelled.resolve(cancelReadable(state, [reasons[0], reasons[1]]));
    return bothCancelled.promise;
  };
  const { isBytes } = state.controller;
  for (let i = 0; i < 2; i++) branches[i] = newReadable({ pull, cancel: cancel(i), isBytes, mark: isBytes ? 0 : 1 });
  react(reader.closed.promise, undefined, (error) => {
    for (let i = 0; i < 2; i++) failReadable(branches[i].controller, error);
    if (!cancelled[0] || !cancelled[1]) bothCancelled.resolve(undefined);
  });
  return [branches[0].stream, branches[1].stream];
}

// Writable streams.

let writableState;

const newWritableState = () => ({
  __proto__: null, state: 'writable', error: undefined, writer: null, controller: null, requests: newList(), inFlight: null,
  closing: null, closeInFlight: null, pendingAbort: null, backpressure: false,
});

const isClosing = (state) => state.closing !== null || state.closeInFlight !== null;
const isBusy = (state) => state.inFlight !== null || state.closeInFlight !== null;

function abortWritable(state, reason) {
  if (state.state === 'closed' || state.state === 'errored') return settledPromise(undefined);
  abortSignal(state.controller.signal, reason);
  const now = state.state;
  if (now === 'closed' || now === 'errored') return settledPromise(undefined);
  if (state.pendingAbort !== null) return state.pendingAbort.promise;
  const wasErroring = now === 'erroring';
  const abort = deferred();
  state.pendingAbort = { __proto__: null, ...abort, reason: wasErroring ? undefined : reason, wasErroring };
  if (!wasErroring) startErroring(state, reason);
  return abort.promise;
}

function startErroring(state, error) {
  state.state = 'erroring';
  state.error = error;
  if (state.writer !== null) rejectReady(state.writer, error);
  if (!isBusy(state) && state.controller.started) finishErroring(state);
}

function rejectReady(writer, error) {
  if (writer.readyIsPending) writer.ready.reject(error);
  else {
    writer.ready = deferred();
    writer.ready.reject(error);
  }
  writer.readyIsPending = false;
  handled(writer.ready.promise);
}

function rejectClosed(state) {
  if (state.closing !== null) {
    state.closing.reject(state.error);
    state.closing = null;
  }
  if (state.writer === null) return;
  state.writer.closed.reject(state.error);
  handled(state.writer.closed.promise);
}

function finishErroring(state) {
  state.state = 'errored';
  reset(state.controller.queue);
  const { requests, pendingAbort } = state;
  state.requests = newList();
  for (let i = 0; i < requests.length; i++) requests[i].reject(state.error);
  if (pendingAbort === null) {
    rejectClosed(state);
    return;
  }
  state.pendingAbort = null;
  if (pendingAbort.wasErroring) {
    pendingAbort.reject(state.error);
    rejectClosed(state);
    return;
  }
  const done = state.controller.abort(pendingAbort.reason);
  forgetSink(state.controller);
  react(done, () => {
    pendingAbort.resolve(undefined);
    rejectClosed(state);
  }, (error) => {
    pendingAbort.reject(error);
    rejectClosed(state);
  });
}

function dealWithRejection(state, error) {
  if (state.state === 'writable') startErroring(state, error);
  else finishErroring(state);
}

function forgetSink(controller) {
  controller.write = controller.close = controller.abort = () => settledPromise(undefined);
  controller.sizeOf = () => 1;
}

function errorWritable(controller, error) {
  if (controller.stream.state !== 'writable') return;
  forgetSink(controller);
  startErroring(controller.stream, error);
}

const hasBackpressure = (controller) => controller.mark - controller.queue.total <= 0;

function updateBackpressure(state, backpressure) {
  const { writer } = state;
  if (writer !== null && backpressure !== state.backpressure) {
    if (backpressure) {
      writer.ready = deferred();
      writer.readyIsPending = true;
    } else {
      writer.ready.resolve(undefined);
      writer.readyIsPending = false;
    }
  }
  state.backpressure = backpressure;
}

const closeMark = Symbol('close');

function advance(controller) {
  const state = controller.stream;
  if (!controller.started || state.inFlight !== null) return;
  if (state.state === 'erroring') {
    finishErroring(state);
    return;
  }
  if (isEmpty(controller.queue)) return;
  const { chunk } = controller.queue.chunks[controller.queue.head];
  if (chunk === closeMark) finishClose(controller);
  else finishWrite(controller, chunk);
}

function finishClose(controller) {
  const state = controller.stream;
  state.closeInFlight = state.closing;
  state.closing = null;
  shift(controller.queue);
  const done = controller.close();
  forgetSink(controller);
  react(done, () => {
    state.closeInFlight.resolve(undefined);
    state.closeInFlight = null;
    if (state.state === 'erroring') {
      state.error = undefined;
      if (state.pendingAbort !== null) state.pendingAbort.resolve(undefined);
      state.pendingAbort = null;
    }
    state.state = 'closed';
    if (state.writer !== null) state.writer.closed.resolve(undefined);
  }, (error) => {
    state.closeInFlight.reject(error);
    state.closeInFlight = null;
    if (state.pendingAbort !== null) state.pendingAbort.reject(error);
    state.pendingAbort = null;
    dealWithRejection(state, error);
  });
}

function finishWrite(controller, chunk) {
  const state = controller.stream;
  state.inFlight = state.requests[0];
  const left = newList();
  for (let i = 1; i < state.requests.length; i++) left[i - 1] = state.requests[i];
  state.requests = left;
  react(controller.write(chunk, controller.object), () => {
    state.inFlight.resolve(undefined);
    state.inFlight = null;
    shift(controller.queue);
    if (!isClosing(state) && state.state === 'writable') updateBackpressure(state, hasBackpressure(controller));
    advance(controller);
  }, (error) => {
    if (state.state === 'writable') forgetSink(controller);
    state.inFlight.reject(error);
    state.inFlight = null;
    dealWithRejection(state, error);
  });
}

function closeWritable(state) {
  if (state.state === 'closed' || state.state === 'errored') {
    return rejectedPromise(new TypeError(`The stream is ${state.state} and cannot be closed`));
  }
  if (isClosing(state)) return rejectedPromise(new TypeError('The stream is being closed already'));
  state.closing = deferred();
  const { promise } = state.closing;
  if (state.writer !== null && state.backpressure && state.state === 'writable') {
    state.writer.ready.resolve(undefined);
    state.writer.readyIsPending = false;
  }
  push(state.controller.queue, closeMark, 0);
  advance(state.controller);
  return promise;
}

function writeChunk(writer, chunk) {
  const state = writer.stream;
  const { controller } = state;
  let size = 1;
  try {
    size = controller.sizeOf(chunk);
  } catch (error) {
    errorWritable(controller, error);
  }
  if (state !== writer.stream) return rejectedPromise(new TypeError('The writer was released'));
  if (state.state === 'errored') return rejectedPromise(state.error);
  if (isClosing(state) || state.state === 'closed') return rejectedPromise(new TypeError('The stream is closing or closed'));
  if (state.state === 'erroring') return rejectedPromise(state.error);
  const request = deferred();
  state.requests[state.requests.length] = request;
  try {
    push(controller.queue, chunk, size);
    if (!isClosing(state) && state.state === 'writable') updateBackpressure(state, hasBackpressure(controller));
    advance(controller);
  } catch (error) {
    errorWritable(controller, error);
  }
  return request.promise;
}

class WritableStreamDefaultController {
  #state;
  constructor(token, state) {
    if (token !== madeHere) throw illegal();
    this.#state = state;
  }
  get signal() { return this.#state.signal; }
  error(reason = undefined) { errorWritable(this.#state, reason); }
}
expose(WritableStreamDefaultController);

function setUpWritable(state, { start, write, close, abort, mark, sizeOf }) {
  const controller = {
    __proto__: null, stream: state, queue: newQueue(), mark, sizeOf, write, close, abort, started: false, object: undefined,
    signal: newSignal(),
  };
  controller.object = new WritableStreamDefaultController(madeHere, controller);
  state.controller = controller;
  updateBackpressure(state, hasBackpressure(controller));
  react(settledPromise(start(controller.object)), () => {
    controller.started = true;
    advance(controller);
  }, (error) => {
    controller.started = true;
    dealWithRejection(state, error);
  });
  return controller;
}

function acquireWriter(state) {
  if (state.writer !== null) throw new TypeError('The stream is locked to a writer already');
  const writer = { __proto__: null, stream: state, closed: deferred(), ready: deferred(), readyIsPending: false };
  state.writer = writer;
  if (state.state === 'writable') {
    if (!isClosing(state) && state.backpressure) writer.readyIsPending = true;
    else writer.ready.resolve(undefined);
  } else if (state.state === 'closed') {
    writer.ready.resolve(undefined);
    writer.closed.resolve(undefined);
  } else {
    writer.ready.reject(state.error);
    handled(writer.ready.promise);
    if (state.state === 'errored') {
      writer.closed.reject(state.error);
      handled(writer.closed.promise);
    }
  }
  return writer;
}

function releaseWriter(writer) {
  const { stream } = writer;
  if (stream === null) return;
  const error = new TypeError('The writer was released');
  rejectReady(writer, error);
  if (stream.state === 'writable' || stream.state === 'erroring') writer.closed.reject(error);
  else {
    writer.closed = deferred();
    writer.closed.reject(error);
  }
  handled(writer.closed.promise);
  stream.writer = null;
  writer.stream = null;
}

const noWriter = () => new TypeError('The writer was released');

class WritableStreamDefaultWriter {
  #writer;
  constructor(stream) {
    requireArguments(arguments.length, 1, 'WritableStreamDefaultWriter');
    this.#writer = acquireWriter(writableState(stream));
  }
  get closed() { return this.#writer.closed.promise; }
  get ready() { return this.#writer.ready.promise; }
  get desiredSize() {
    const { stream } = this.#writer;
    if (stream === null) throw noWriter();
    if (stream.state === 'errored' || stream.state === 'erroring') return null;
    return stream.state === 'closed' ? 0 : stream.controller.mark - stream.controller.queue.total;
  }
  abort(reason = undefined) {
    return this.#writer.stream === null ? rejectedPromise(noWriter()) : abortWritable(this.#writer.stream, reason);
  }
  close() {
    const { stream } = this.#writer;
    if (stream === null) return rejectedPromise(noWriter());
    return isClosing(stream) ? rejectedPromise(new TypeError('The stream is being closed already')) : closeWritable(stream);
  }
  releaseLock() { releaseWriter(this.#writer); }
  write(chunk = undefined) {
    return this.#writer.stream === null ? rejectedPromise(noWriter()) : writeChunk(this.#writer, chunk);
  }
}
expose(WritableStreamDefaultWriter);

class WritableStream {
  #state = newWritableState();

  constructor(sink = undefined, strategy = undefined) {
    if (sink === madeHere) return;
    if (sink === null) throw new TypeError('The sink of a stream must be an object');
    sink = dictionary(sink, 'The sink of a stream');
    strategy = dictionary(strategy, 'The strategy of a stream');
    if (sink.type !== undefined) throw new RangeError(`${sink.type} is no type of a stream`);
    const start = methodOf(sink, 'start');
    setUpWritable(this.#state, {
      start: start === undefined ? noop : (controller) => apply(start, sink, [controller]),
      write: promiseCall(methodOf(sink, 'write'), sink),
      close: promiseCall(methodOf(sink, 'close'), sink),
      abort: promiseCall(methodOf(sink, 'abort'), sink),
      mark: highWaterMark(strategy, 1),
      sizeOf: sizeFunction(strategy),
    });
  }
  get locked() { return this.#state.writer !== null; }
  abort(reason = undefined) {
    if (!(#state in this)) return rejectedPromise(new TypeError('Illegal invocation'));
    if (this.#state.writer !== null) return rejectedPromise(new TypeError('A stream that is locked cannot be aborted'));
    return abortWritable(this.#state, reason);
  }
  close() {
    if (!(#state in this)) return rejectedPromise(new TypeError('Illegal invocation'));
    if (this.#state.writer !== null) return rejectedPromise(new TypeError('A stream that is locked cannot be closed'));
    return closeWritable(this.#state);
  }
  getWriter() {
    this.#state;
    return new WritableStreamDefaultWriter(this);
  }
  static {
    writableState = (stream) => {
      if (!isObject(stream) || !(#state in stream)) throw new TypeError('It must be a WritableStream');
      return stream.#state;
    };
  }
}
expose(WritableStream);

function pipeOptions(options) {
  const { preventAbort, preventCancel, preventClose, signal } = dictionary(options, 'The options of a pipe');
  if (signal !== undefined && !isSignal(signal)) throw new TypeError('The signal of a pipe must be an AbortSignal');
  return { __proto__: null, preventAbort: !!preventAbort, preventCancel: !!preventCancel, preventClose: !!preventClose, signal };
}

// One chunk after the other, until one side ends or the signal says so; whichever comes first decides.
function pipe(source, target, { preventAbort, preventCancel, preventClose, signal }) {
  const reader = acquire(source, false);
  const writer = acquireWriter(target);
  source.disturbed = true;
  const { promise, resolve, reject } = deferred();
  let over = false;
  let lastWrite = settledPromise(undefined);

  const settle = (failed, error) => {
    releaseWriter(writer);
    release(reader);
    if (failed) reject(error);
    else resolve(undefined);
  };
  const shutDown = (action, failed, error) => {
    if (over) return;
    over = true;
    const act = () => {
      if (action === undefined) return settle(failed, error);
      react(action(), () => settle(failed, error), (other) => settle(true, other));
    };
    // What was read is written first.
    if (target.state === 'writable' && !isClosing(target)) react(lastWrite, act, act);
    else act();
  };

  if (signal !== undefined) {
    const abort = () => {
      const { reason } = signal;
      shutDown(() => {
        const all = newList();
        if (!preventAbort) all[all.length] = target.state === 'writable' ? abortWritable(target, reason) : settledPromise(undefined);
        if (!preventCancel) all[all.length] = source.state === 'readable' ? cancelReadable(source, reason) : settledPromise(undefined);
        return all.length === 0 ? settledPromise(undefined)
          : all.length === 1 ? all[0]
          : promiseThen(all[0], () => all[1], (error) => promiseThen(all[1], () => { throw error; }, () => { throw error; }));
      }, true, reason);
    };
    if (signal.aborted) {
      abort();
      return promise;
    }
    onAbort(signal, abort);
  }

  const sourceEnded = () => {
    if (preventClose) shutDown(undefined, false);
    else {
      shutDown(() => isClosing(target) || target.state === 'closed' ? settledPromise(undefined)
        : target.state === 'errored' ? rejectedPromise(target.error) : closeWritable(target), false);
    }
  };
  const sourceFailed = (error) => shutDown(preventAbort ? undefined : () => abortWritable(target, error), true, error);
  const targetFailed = (error) => shutDown(preventCancel ? undefined : () => cancelReadable(source, error), true, error);

  if (source.state === 'errored') sourceFailed(source.error);
  else react(reader.closed.promise, undefined, (error) => { if (source.state === 'errored') sourceFailed(error); });
  if (target.state === 'errored' || target.state === 'erroring') targetFailed(target.error);
  else react(writer.closed.promise, undefined, (error) => { if (target.state === 'errored') targetFailed(error); });
  if (source.state === 'closed') sourceEnded();
  if (isClosing(target) || target.state === 'closed') {
    const error = new TypeError('The destination is closed');
    shutDown(preventCancel ? undefined : () => cancelReadable(source, error), true, error);
  }

  const next = () => {
    if (over) return;
    react(writer.ready.promise, () => {
      if (over) return;
      readChunk(source, {
        __proto__: null,
        chunk: (chunk) => {
          lastWrite = handled(writer.stream === null ? settledPromise(undefined) : writeChunk(writer, chunk));
          queueMicrotask(next);
        },
        close: sourceEnded,
        error: (error) => { if (source.state === 'errored') sourceFailed(error); },
      });
    }, noop);
  };
  next();
  return promise;
}

// Transform streams: a writable side whose chunks become those of a readable side.

class TransformStreamDefaultController {
  #state;
  constructor(token, state) {
    if (token !== madeHere) throw illegal();
    this.#state = state;
  }
  get desiredSize() { return desiredSize(this.#state.readable); }
  enqueue(chunk = undefined) { transformEnqueue(this.#state, chunk); }
  error(reason = undefined) { errorTransform(this.#state, reason); }
  terminate() {
    const state = this.#state;
    if (mayEnqueue(state.readable)) finishReadable(state.readable);
    errorTransformWritable(state, new TypeError('The transform was terminated'));
  }
}
expose(TransformStreamDefaultController);

function setTransformBackpressure(state, backpressure) {
  if (state.backpressureChange !== undefined) state.backpressureChange.resolve(undefined);
  state.backpressureChange = deferred();
  state.backpressure = backpressure;
}

function errorTransform(state, error) {
  failReadable(state.readable, error);
  errorTransformWritable(state, error);
}

function errorTransformWritable(state, error) {
  state.transform = state.flush = state.cancel = () => settledPromise(undefined);
  errorWritable(state.writable, error);
  if (state.backpressure) setTransformBackpressure(state, false);
}

function transformEnqueue(state, chunk) {
  const { readable } = state;
  if (!mayEnqueue(readable)) throw new TypeError('The readable side is closed or errored');
  try {
    enqueue(readable, chunk);
  } catch (error) {
    errorTransformWritable(state, error);
    throw readable.stream.error;
  }
  const backpressure = !wantsPull(readable);
  if (backpressure !== state.backpressure) setTransformBackpressure(state, true);
}

class TransformStream {
  #readable;
  #writable;

  constructor(transformer = undefined, writableStrategy = undefined, readableStrategy = undefined) {
    if (transformer === null) throw new TypeError('A transformer must be an object');
    transformer = dictionary(transformer, 'A transformer');
    writableStrategy = dictionary(writableStrategy, 'A strategy');
    readableStrategy = dictionary(readableStrategy, 'A strategy');
    if (transformer.readableType !== undefined) throw new RangeError('readableType is not supported');
    if (transformer.writableType !== undefined) throw new RangeError('writableType is not supported');
    const start = methodOf(transformer, 'start');
    const transform = methodOf(transformer, 'transform');
    const flush = methodOf(transformer, 'flush');
    const cancel = methodOf(transformer, 'cancel');
    const state = {
      __proto__: null, readable: undefined, writable: undefined, backpressure: undefined, backpressureChange: undefined, object: undefined,
      transform: undefined, flush: promiseCall(flush, transformer), cancel: promiseCall(cancel, transformer), finished: undefined,
    };
    state.object = new TransformStreamDefaultController(madeHere, state);
    state.transform = transform !== undefined ? promiseCall(transform, transformer) : (chunk) => {
      try {
        transformEnqueue(state, chunk);
        return settledPromise(undefined);
      } catch (error) {
        return rejectedPromise(error);
      }
    };
    const started = deferred();
    this.#writable = new WritableStream(madeHere);
    this.#readable = new ReadableStream(madeHere);
    state.writable = setUpWritable(writableState(this.#writable), {
      start: () => started.promise,
      write: (chunk) => transformWrite(state, chunk),
      close: () => transformClose(state),
      abort: (reason) => transformEnd(state, reason, (error) => failReadable(state.readable, error)),
      mark: highWaterMark(writableStrategy, 1),
      sizeOf: sizeFunction(writableStrategy),
    });
    state.readable = setUpReadable(readableState(this.#readable), {
      start: () => started.promise,
      pull: () => {
        setTransformBackpressure(state, false);
        return state.backpressureChange.promise;
      },
      cancel: (reason) => transformEnd(state, reason, (error) => errorTransformWritable(state, error)),
      mark: highWaterMark(readableStrategy, 0),
      sizeOf: sizeFunction(readableStrategy),
    });
    setTransformBackpressure(state, true);
    started.resolve(start === undefined ? undefined : apply(start, transformer, [state.object]));
  }
  get readable() { return this.#readable; }
  get writable() { return this.#writable; }
}
expose(TransformStream);

function transformWrite(state, chunk) {
  const perform = () => promiseThen(state.transform(chunk, state.object), noop, (error) => {
    errorTransform(state, error);
    throw error;
  });
  if (!state.backpressure) return perform();
  return promiseThen(state.backpressureChange.promise, () => {
    const { stream } = state.writable;
    if (stream.state === 'erroring') throw stream.error;
    return perform();
  });
}

function transformClose(state) {
  if (state.finished !== undefined) return state.finished;
  const { readable } = state;
  state.finished = promiseThen(state.flush(state.object), () => {
    if (readable.stream.state === 'errored') throw readable.stream.error;
    if (mayEnqueue(readable)) finishReadable(readable);
  }, (error) => {
    failReadable(readable, error);
    throw error;
  });
  return state.finished;
}

// The writable side was aborted, or the readable side cancelled.
function transformEnd(state, reason, fail) {
  if (state.finished !== undefined) return state.finished;
  state.finished = promiseThen(state.cancel(reason), () => fail(reason), (error) => {
    fail(error);
    throw error;
  });
  return state.finished;
}

// Text on its way.

class TextEncoderStream {
  #transform;
  constructor() {
    let high = '';  // half of a pair that the next chunk may complete
    this.#transform = new TransformStream({
      __proto__: null,
      transform: (chunk, controller) => {
        let text = high + `${chunk}`;
        const last = text === '' ? 0 : charCodeAt(text, text.length - 1);
        high = last >= 0xD800 && last < 0xDC00 ? text[text.length - 1] : '';
        if (high !== '') text = substring(text, 0, text.length - 1);
        if (text !== '') transformerEnqueue(controller, natives.encode(text));
      },
      flush: (controller) => {
        if (high !== '') transformerEnqueue(controller, natives.encode(high));
      },
    });
  }
  get encoding() { return #transform in this ? 'utf-8' : undefined; }
  get readable() { return transformReadable(this.#transform); }
  get writable() { return transformWritable(this.#transform); }
}
const transformerEnqueue = uncurry(TransformStreamDefaultController.prototype.enqueue);
const transformReadable = getterOf(TransformStream.prototype, 'readable');
const transformWritable = getterOf(TransformStream.prototype, 'writable');
expose(TextEncoderStream);

const decode = uncurry(TextDecoder.prototype.decode);
class TextDecoderStream {
  #transform;
  #decoder;
  constructor(label = 'utf-8', options = undefined) {
    const decoder = new TextDecoder(label, options);
    this.#decoder = decoder;
    this.#transform = new TransformStream({
      __proto__: null,
      transform: (chunk, controller) => {
        const text = decode(decoder, chunk, { __proto__: null, stream: true });
        if (text !== '') transformerEnqueue(controller, text);
      },
      flush: (controller) => {
        const text = decode(decoder);
        if (text !== '') transformerEnqueue(controller, text);
      },
    });
  }
  get encoding() { return this.#decoder.encoding; }
  get fatal() { return this.#decoder.fatal; }
  get ignoreBOM() { return this.#decoder.ignoreBOM; }
  get readable() { return transformReadable(this.#transform); }
  get writable() { return transformWritable(this.#transform); }
}
expose(TextDecoderStream);
