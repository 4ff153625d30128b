// What a task sees: its context, the streams of its request, and TaskError. A sandbox serves one call, so there is
// one context; it is part of the image and costs a call that does not look at it nothing.

const isStatus = (value, least) => typeof value === 'number' && value >>> 0 === value && value >= least && value <= 599;

let isTaskError;
class TaskError extends Error {
  #httpCode;
  constructor(id, message = '', data = undefined, options = undefined) {
    if (typeof id !== 'string' || id === '') throw new TypeError('The id of a TaskError must be a string that is not empty');
    super(`${message}`);
    define(this, 'id', id);
    define(this, 'data', data);
    const code = isObject(options) ? options.httpCode : options;
    if (code !== undefined) this.httpCode = code;
  }
  get httpCode() { return this.#httpCode; }
  set httpCode(code) {
    if (code !== undefined && !isStatus(code, 400)) throw new TypeError('The httpCode of a TaskError must be a whole number from 400 to 599');
    this.#httpCode = code;
  }
  static {
    isTaskError = (value) => #httpCode in value;
  }
}
defineHidden(TaskError.prototype, 'name', 'TaskError');

function errorParts(error) {
  if (!isTaskError(error)) return undefined;
  return { __proto__: null, id: `${error.id}`, message: `${error.message}`, data: error.data, httpCode: error.httpCode };
}

let hasBody = false;
let wasAborted = false;
let reason;
let signal;
const abortReason = () => reason ??= new DOMException('The request was aborted', 'AbortError');

function abort() {
  wasAborted = true;
  if (signal !== undefined) abortSignal(signal, abortReason());
}

function taskSignal() {
  if (signal === undefined) {
    signal = newSignal();
    natives.noteSignal();
    if (wasAborted) abortSignal(signal, abortReason());
  }
  return signal;
}

class ByteStreamIterator {
  #stream;
  #isOver = false;
  constructor(token, stream) {
    if (token !== madeHere) throw illegal();
    this.#stream = stream;
  }
  async next() {
    if (this.#isOver) return { value: undefined, done: true };
    try {
      const value = await natives.readStream(this.#stream);
      if (value !== undefined) return { value, done: false };
    } catch (error) {
      this.#isOver = true;
      throw wasAborted ? abortReason() : error;
    }
    this.#isOver = true;
    return { value: undefined, done: true };
  }
  async return(value) {
    if (!this.#isOver) natives.closeStream(this.#stream);
    this.#isOver = true;
    return { value, done: true };
  }
  [asyncIterator]() { return this; }
}

class ByteStream {
  #stream;
  #what;
  #isUsed = false;
  constructor(token, stream, what) {
    if (token !== madeHere) throw illegal();
    this.#stream = stream;
    this.#what = what;
  }
  [asyncIterator]() {
    if (this.#isUsed) throw new TypeError(`${this.#what} can be read only once`);
    this.#isUsed = true;
    return new ByteStreamIterator(madeHere, this.#stream);
  }
  async bytes() {
    const pieces = newList();
    let size = 0;
    const it = this[asyncIterator]();
    for (;;) {
      const { value, done } = await it.next();
      if (done) break;
      pieces[pieces.length] = value;
      size += typedArrayByteLength(value);
    }
    const whole = new Uint8Array(size);
    for (let i = 0, at = 0; i < pieces.length; at += typedArrayByteLength(pieces[i++])) typedArraySet(whole, pieces[i], at);
    return whole;
  }
  async text() { return natives.decode(await this.bytes(), 0, 0, 0); }
}
defineProperty(ByteStream.prototype, toStringTag, { __proto__: null, value: 'ByteStream', configurable: true });

let body;
function taskBody() {
  if (hasBody) body ??= new ByteStream(madeHere, 0, 'The body of a request');
  return body;
}

let request;
const requestPart = (name) => {
  request ??= natives.taskContext() ?? {};
  return request[name];
};

const context = {};
const contextParts = {
  __proto__: null,
  method: () => requestPart('method'),
  url: () => requestPart('url'),
  headers: () => requestPart('headers'),
  signal: taskSignal,
  body: taskBody,
  contexts: () => requestPart('contexts'),
};
for (const name of keys(contextParts)) {
  defineProperty(context, name, {
    __proto__: null,
    get: contextParts[name],
    set(value) { define(context, name, value); },
    enumerable: true,
    configurable: true,
  });
}

function attachFile(file, stream) {
  let isUsed = false;
  const resolve = async () => {
    if (isUsed) throw new TypeError('resolve() of a file can be called only once: its stream is used up');
    isUsed = true;
    return { stream: new ByteStream(madeHere, stream, 'The stream of a file') };
  };
  // Hidden, so that a task may return what it got.
  defineHidden(file, 'resolve', resolve);
}

function start(input, files, withBody) {
  hasBody = withBody;
  if (files === undefined) return;
  for (let i = 0; i < files.length; i++) {
    let place = input;
    for (let j = 0; j < files[i].length; j++) place = place[files[i][j]];
    attachFile(place, i + 1);
  }
}

const isGenerator = (value) => isObject(value) && typeof value[iterator] === 'function' && natives.kind(value) === KIND.other;
const isAsyncIterable = (value) => isObject(value) && typeof value[asyncIterator] === 'function';

// A promise where the result of a task is a stream of bytes.
function stream(result) {
  if (isAsyncIterable(result)) return pump(result, undefined);
  if (natives.kind(result) !== KIND.object) return undefined;
  const { stream: source } = result;
  if (!isAsyncIterable(source) && !isGenerator(source)) return undefined;
  const { contentType, status, headers } = result;
  if (contentType !== undefined && !isContentType(contentType)) throw new TypeError('The contentType of a streamed result is not one');
  if (status === undefined && headers === undefined) return pump(source, contentType);
  if (status !== undefined && !isStatus(status, 200)) throw new TypeError('The status of a streamed result must be a whole number from 200 to 599');
  return pump(source, { __proto__: null, contentType, status, headers: headersOfStream(headers) });
}

function headersOfStream(given) {
  const found = [];
  const pairs = listOf(new Headers(given), 'The headers of a streamed result');
  for (let i = 0; i < pairs.length; i++) define(found, i, pairs[i]);
  return found;
}

const matches = uncurry(RegExp.prototype.test);
const contentTypePattern = /^[!-~][ -~]{0,199}$/;
const isContentType = (value) => typeof value === 'string' && matches(contentTypePattern, value);

async function pump(source, head) {
  natives.startStream(head);
  try {
    for await (const given of source) {
      const piece = typeof given === 'string' ? natives.encode(given) : given;
      if (!isBytes(piece)) throw new TypeError('A streamed result must give bytes or strings');
      for (let at = 0; ; at += 2 ** 20) {
        const written = natives.writeStream(piece, at);
        if (written === undefined) break;
        await written;
      }
    }
  } catch (error) {
    throw wasAborted ? abortReason() : error;
  }
}

natives.setTaskHooks(start, abort, stream, errorParts, context, TaskError);
