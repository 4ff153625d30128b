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
  // name -> list of { callback, capture, once, passive, removed }
  #listeners = new Map();

  addEventListener(type, callback, options = undefined) {
    requireArguments(arguments.length, 2, 'addEventListener');
    const { capture, once, passive, signal } = listenerOptions(options);
    if (callback === null || callback === undefined) return;
    if (!isObject(callback)) throw new TypeError('A listener must be a function or an object');
    if (signal !== undefined && signal.aborted) return;
    type = `${type}`;
    let list = mapGet(this.#listeners, type);
    if (list === undefined) mapSet(this.#listeners, type, (list = newList()));
    for (let i = 0; i < list.length; i++) {
      if (list[i].callback === callback && list[i].capture === capture) return;
    }
    list[list.length] = { __proto__: null, callback, capture, once, passive, removed: false, isHandler: false };
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

  #remove(type, callback, capture) {
    const list = mapGet(this.#listeners, type);
    if (list === undefined) return;
    const kept = newList();
    for (let i = 0; i < list.length; i++) {
      if (list[i].callback === callback && list[i].capture === capture && !list[i].isHandler) list[i].removed = true;
      else kept[kept.length] = list[i];
    }
    mapSet(this.#listeners, type, kept);
  }

  #dispatch(event) {
    const { type } = event;
    const list = mapGet(this.#listeners, type);
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
      let list = mapGet(target.#listeners, type);
      if (list === undefined) mapSet(target.#listeners, type, (list = newList()));
      const callback = isObject(value) ? value : null;
      for (let i = 0; i < list.length; i++) {
        if (!list[i].isHandler) continue;
        list[i].callback = callback ?? noop;
        list[i].handler = callback;
        return;
      }
      if (callback === null) return;
      list[list.length] = {
        __proto__: null, callback, handler: callback, capture: false, once: false, passive: false, removed: false, isHandler: true,
      };
    };
    handlerOf = (target, type) => {
      const list = mapGet(target.#listeners, type);
      if (list === undefined) return null;
      for (let i = 0; i < list.length; i++) if (list[i].isHandler) return list[i].handler;
      return null;
    };
  }
}
expose(EventTarget);
