// AbortController and AbortSignal.

let isSignal, onAbort, newSignal, abortSignal;
const madeHere = Symbol('made here');

class AbortSignal extends EventTarget {
  #aborted = false;
  #reason = undefined;
  #steps = newList();  // run once, before the event
  #sources = null;     // of a signal made by any(): what it follows, none of which follows another
  #dependents = newList();

  constructor(token) {
    if (token !== madeHere) throw illegal();
    super();
  }
  get aborted() { return this.#aborted; }
  get reason() { return this.#reason; }
  throwIfAborted() { if (this.#aborted) throw this.#reason; }
  get onabort() { return #aborted in this ? handlerOf(this, 'abort') : undefined; }
  set onabort(value) { if (#aborted in this) setHandler(this, 'abort', value); }

  static abort(reason = undefined) {
    const signal = new AbortSignal(madeHere);
    signal.#aborted = true;
    signal.#reason = defaultReason(reason);
    return signal;
  }

  static timeout(milliseconds) {
    requireArguments(arguments.length, 1, 'AbortSignal.timeout');
    const wait = Number(milliseconds);
    if (!(wait >= 0 && wait <= 2 ** 53 - 1)) throw new RangeError('The timeout of a signal must be a number of milliseconds, 0 or more');
    const signal = new AbortSignal(madeHere);
    // A wait that is longer than a timer's is longer than any program's.
    if (wait < 2 ** 31) setTimeout(() => signal.#abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')), wait);
    return signal;
  }

  static any(signals) {
    requireArguments(arguments.length, 1, 'AbortSignal.any');
    if (!isObject(signals)) throw new TypeError('AbortSignal.any wants an iterable of signals');
    const given = listOf(signals, 'The argument of AbortSignal.any');
    for (let i = 0; i < given.length; i++) {
      if (!isSignal(given[i])) throw new TypeError('AbortSignal.any wants an iterable of signals');
    }
    const signal = new AbortSignal(madeHere);
    for (let i = 0; i < given.length; i++) {
      if (!given[i].#aborted) continue;
      signal.#aborted = true;
      signal.#reason = given[i].#reason;
      return signal;
    }
    signal.#sources = newList();
    for (let i = 0; i < given.length; i++) {
      const sources = given[i].#sources;
      if (sources === null) signal.#follow(given[i]);
      else for (let j = 0; j < sources.length; j++) signal.#follow(sources[j]);
    }
    return signal;
  }

  #follow(source) {
    for (let i = 0; i < this.#sources.length; i++) if (this.#sources[i] === source) return;
    this.#sources[this.#sources.length] = source;
    source.#dependents[source.#dependents.length] = this;
  }

  #abort(reason) {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = defaultReason(reason);
    const woken = newList();
    for (let i = 0; i < this.#dependents.length; i++) {
      const dependent = this.#dependents[i];
      if (dependent.#aborted) continue;
      dependent.#aborted = true;
      dependent.#reason = this.#reason;
      woken[woken.length] = dependent;
    }
    this.#runSteps();
    for (let i = 0; i < woken.length; i++) woken[i].#runSteps();
  }

  #runSteps() {
    const steps = this.#steps;
    this.#steps = newList();
    for (let i = 0; i < steps.length; i++) (0, steps[i])();
    dispatch(this, new Event('abort'));
  }

  static {
    isSignal = (value) => isObject(value) && #aborted in value;
    onAbort = (signal, step) => {
      if (!signal.#aborted) signal.#steps[signal.#steps.length] = step;
    };
    newSignal = () => new AbortSignal(madeHere);
    abortSignal = (signal, reason) => signal.#abort(reason);
  }
}
expose(AbortSignal);

function defaultReason(reason) {
  return reason === undefined ? new DOMException('This operation was aborted', 'AbortError') : reason;
}

class AbortController {
  #signal = newSignal();
  get signal() { return this.#signal; }
  abort(reason = undefined) { abortSignal(this.#signal, reason); }
}
expose(AbortController);
