// The class ReadableStream, and streams that are made of others or of iterables.

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
