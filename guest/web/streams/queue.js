// ReadableStream, WritableStream and TransformStream, as the Streams Standard has them. What is
// left out: a byte stream hands its chunks over as copies, and its source gets no byobRequest.
//
// This file: promises, queues and strategies, which all of them use.

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
