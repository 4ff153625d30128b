// The class WritableStream, and its writer.

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
