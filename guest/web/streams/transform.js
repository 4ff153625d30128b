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
