// What happens inside of a readable stream. Its state is a record; the objects that programs hold
// point to it.

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
