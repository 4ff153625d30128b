// What happens inside of a writable stream.

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
