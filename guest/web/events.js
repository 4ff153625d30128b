// Event, CustomEvent and EventTarget, without a tree: every event is at its target.

let beginDispatch, endDispatch, isDispatching, isEvent, isStopped;

class Event {
  #type;
  #bubbles;
  #cancelable;
  #composed;
  #target = null;
  #currentTarget = null;
  #phase = 0;
  #dispatching = false;
  #stopped = false;
  #stoppedAtOnce = false;
  #prevented = false;
  #passive = false;
  #timeStamp = performanceNow();

  constructor(type, init = undefined) {
    requireArguments(arguments.length, 1, 'Event constructor');
    init = dictionary(init, 'The event\'s options');
    this.#type = `${type}`;
    this.#bubbles = !!init.bubbles;
    this.#cancelable = !!init.cancelable;
    this.#composed = !!init.composed;
  }
  get type() { return this.#type; }
  get target() { return this.#target; }
  get srcElement() { return this.#target; }
  get currentTarget() { return this.#currentTarget; }
  get eventPhase() { return this.#phase; }
  get bubbles() { return this.#bubbles; }
  get cancelable() { return this.#cancelable; }
  get composed() { return this.#composed; }
  get defaultPrevented() { return this.#prevented; }
  get returnValue() { return !this.#prevented; }
  set returnValue(value) { if (!value) this.preventDefault(); }
  get cancelBubble() { return this.#stopped; }
  set cancelBubble(value) { if (value) this.#stopped = true; }
  get timeStamp() { return this.#timeStamp; }
  get isTrusted() { return #type in this && false; }
  composedPath() { return this.#dispatching ? [this.#currentTarget] : []; }
  stopPropagation() { this.#stopped = true; }
  stopImmediatePropagation() { this.#stopped = this.#stoppedAtOnce = true; }
  preventDefault() { if (this.#cancelable && !this.#passive) this.#prevented = true; }

  static {
    isEvent = (value) => isObject(value) && #type in value;
    isDispatching = (event) => event.#dispatching;
    isStopped = (event) => event.#stoppedAtOnce;
    beginDispatch = (event, target, passive) => {
      event.#dispatching = true;
      event.#target = event.#currentTarget = target;
      event.#phase = 2;
      event.#passive = passive;
    };
    endDispatch = (event) => {
      event.#dispatching = event.#stopped = event.#stoppedAtOnce = event.#passive = false;
      event.#currentTarget = null;
      event.#phase = 0;
      return !event.#prevented;
    };
  }
}
constants(Event, { NONE: 0, CAPTURING_PHASE: 1, AT_TARGET: 2, BUBBLING_PHASE: 3 });
expose(Event);

class CustomEvent extends Event {
  #detail;
  constructor(type, init = undefined) {
    super(type, init);
    const { detail } = dictionary(init);
    this.#detail = detail === undefined ? null : detail;
  }
  get detail() { return this.#detail; }
}
expose(CustomEvent);

function listenerOptions(options) {
  if (!isObject(options)) return { __proto__: null, capture: !!options, once: false, passive: false, signal: undefined };
  const { capture, once, passive, signal } = options;
  if (signal !== undefined && !isSignal(signal)) throw new TypeError('The signal of a listener must be an AbortSignal');
  return { __proto__: null, capture: !!capture, once: !!once, passive: !!passive, signal };
}

let handlerOf, setHandler, dispatch;

class EventTarget {
  // name -> { list, plain, capturing, handler, removed }: the listeners in order, those of them that a callback was added
  // with, by callback, and how many in the list are removed.
  #listeners = new Map();

  addEventListener(type, callback, options = undefined) {
    requireArguments(arguments.length, 2, 'addEventListener');
    const { capture, once, passive, signal } = listenerOptions(options);
    if (callback === null || callback === undefined) return;
    if (!isObject(callback)) throw new TypeError('A listener must be a function or an object');
    if (signal !== undefined && signal.aborted) return;
    type = `${type}`;
    const all = this.#of(type);
    const known = capture ? all.capturing : all.plain;
    if (mapHas(known, callback)) return;
    const listener = { __proto__: null, callback, capture, once, passive, removed: false };
    mapSet(known, callback, listener);
    all.list[all.list.length] = listener;
    if (signal !== undefined) onAbort(signal, () => this.#remove(type, callback, capture));
  }

  removeEventListener(type, callback, options = undefined) {
    requireArguments(arguments.length, 2, 'removeEventListener');
    this.#remove(`${type}`, callback, isObject(options) ? !!options.capture : !!options);
  }

  dispatchEvent(event) {
    if (!isEvent(event)) throw new TypeError('The argument of dispatchEvent must be an Event');
    if (isDispatching(event)) throw new DOMException('The event is already being dispatched', 'InvalidStateError');
    return this.#dispatch(event);
  }

  #of(type) {
    let all = mapGet(this.#listeners, type);
    if (all === undefined) {
      all = { __proto__: null, list: newList(), plain: new Map(), capturing: new Map(), handler: null, removed: 0 };
      mapSet(this.#listeners, type, all);
    }
    return all;
  }

  #remove(type, callback, capture) {
    const all = mapGet(this.#listeners, type);
    if (all === undefined) return;
    const known = capture ? all.capturing : all.plain;
    const listener = mapGet(known, callback);
    if (listener === undefined) return;
    mapDelete(known, callback);
    listener.removed = true;
    // A new list, and not for each: an event may be going through this one.
    if (++all.removed * 2 < all.list.length) return;
    const kept = newList();
    for (let i = 0; i < all.list.length; i++) if (!all.list[i].removed) kept[kept.length] = all.list[i];
    all.list = kept;
    all.removed = 0;
  }

  #dispatch(event) {
    const { type } = event;
    const list = mapGet(this.#listeners, type)?.list;
    beginDispatch(event, this, false);
    // Those that are added meanwhile wait for the next event.
    const count = list === undefined ? 0 : list.length;
    for (let i = 0; i < count; i++) {
      const listener = list[i];
      if (listener.removed) continue;
      if (listener.once) this.#remove(type, listener.callback, listener.capture);
      beginDispatch(event, this, listener.passive);
      const { callback } = listener;
      try {
        if (typeof callback === 'function') apply(callback, this, [event]);
        else apply(callback.handleEvent, callback, [event]);
      } catch (error) {
        natives.uncaught(error);
      }
      if (isStopped(event)) break;
    }
    return endDispatch(event);
  }

  static {
    dispatch = (target, event) => target.#dispatch(event);
    // The one listener of an `on...` attribute keeps its place among the others.
    setHandler = (target, type, value) => {
      const callback = isObject(value) ? value : null;
      const all = target.#of(type);
      if (all.handler !== null) {
        all.handler.callback = callback ?? noop;
        all.handler.handler = callback;
      } else if (callback !== null) {
        all.handler = { __proto__: null, callback, handler: callback, capture: false, once: false, passive: false, removed: false };
        all.list[all.list.length] = all.handler;
      }
    };
    handlerOf = (target, type) => mapGet(target.#listeners, type)?.handler?.handler ?? null;
  }
}
expose(EventTarget);
