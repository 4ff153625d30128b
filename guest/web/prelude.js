// What the files below use of the language, taken before a program can change it. Arrays of ours
// are lists without a prototype: `list[list.length] = x` meets no setter of the program's.

const uncurry = Function.prototype.bind.bind(Function.prototype.call);
const {
  ArrayBuffer, Date, Error, EvalError, Map, Number, Object, Promise, RangeError, ReferenceError, Reflect, RegExp, Set,
  String, Symbol, SyntaxError, TypeError, URIError, Uint8Array, DataView, DOMException,
  setTimeout, clearTimeout, queueMicrotask,
} = global;
const { create, defineProperty, freeze, getOwnPropertyDescriptor, getPrototypeOf, hasOwn, keys, setPrototypeOf } = Object;
const { ownKeys, apply, construct } = Reflect;
const { asyncIterator, iterator, toStringTag } = Symbol;
const getterOf = (object, name) => uncurry(getOwnPropertyDescriptor(object, name).get);

const TypedArray = getPrototypeOf(Uint8Array);
const typedArrayBuffer = getterOf(TypedArray.prototype, 'buffer');
const typedArrayOffset = getterOf(TypedArray.prototype, 'byteOffset');
const typedArrayByteLength = getterOf(TypedArray.prototype, 'byteLength');
const typedArrayLength = getterOf(TypedArray.prototype, 'length');
const typedArrayName = getterOf(TypedArray.prototype, toStringTag);
const typedArraySet = uncurry(TypedArray.prototype.set);
const bufferByteLength = getterOf(ArrayBuffer.prototype, 'byteLength');
const bufferSlice = uncurry(ArrayBuffer.prototype.slice);
const viewBuffer = getterOf(DataView.prototype, 'buffer');
const viewOffset = getterOf(DataView.prototype, 'byteOffset');
const viewByteLength = getterOf(DataView.prototype, 'byteLength');

const lowerCase = uncurry(String.prototype.toLowerCase);
const upperCase = uncurry(String.prototype.toUpperCase);
const charCodeAt = uncurry(String.prototype.charCodeAt);
const substring = uncurry(String.prototype.substring);
const wellFormed = uncurry(String.prototype.toWellFormed);

const mapGet = uncurry(Map.prototype.get);
const mapSet = uncurry(Map.prototype.set);
const mapHas = uncurry(Map.prototype.has);
const mapDelete = uncurry(Map.prototype.delete);
const mapForEach = uncurry(Map.prototype.forEach);
const setAdd = uncurry(Set.prototype.add);
const setForEach = uncurry(Set.prototype.forEach);
const promiseThen = uncurry(Promise.prototype.then);
const performanceNow = uncurry(global.performance.now).bind(null, global.performance);
const arraySort = uncurry(Array.prototype.sort);

// enum EngineKind
const KIND = {
  __proto__: null,
  primitive: 0, object: 1, array: 2, error: 3, number: 4, string: 5, boolean: 6, bigint: 7, date: 8, regexp: 9, buffer: 10,
  sharedBuffer: 11, typedArray: 12, dataView: 13, map: 14, set: 15, exception: 16, function: 17, symbol: 18, other: 19,
};

const newList = () => setPrototypeOf([], null);
const { trunc: Math_trunc, max: Math_max, min: Math_min } = Math;
const noop = () => {};

const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';
const isBytes = (value) => natives.isBytes(value);

// As WebIDL: undefined and null are an empty dictionary, other primitives are refused.
function dictionary(value, what) {
  if (value === undefined || value === null) return { __proto__: null };
  if (!isObject(value)) throw new TypeError(`${what} must be an object`);
  return value;
}

function requireArguments(given, wanted, what) {
  if (given < wanted) throw new TypeError(`${what} requires ${wanted} argument${wanted > 1 ? 's' : ''}, but only ${given} present`);
}

const illegal = () => new TypeError('Illegal constructor');

// All that an iterable gives, as a list. The iterable is the program's.
function listOf(iterable, what) {
  const found = newList();
  const method = iterable[iterator];
  if (typeof method !== 'function') throw new TypeError(`${what} is not iterable`);
  const it = apply(method, iterable, []);
  const { next } = it;
  for (;;) {
    const step = apply(next, it, []);
    if (!isObject(step)) throw new TypeError('Iterator result is not an object');
    if (step.done) return found;
    found[found.length] = step.value;
  }
}

function show(object, names) {
  for (let i = 0; i < names.length; i++) {
    const key = names[i];
    if (key === 'constructor' || key === 'prototype' || key === 'name' || key === 'length' || typeof key === 'symbol') continue;
    const property = getOwnPropertyDescriptor(object, key);
    property.enumerable = true;
    defineProperty(object, key, property);
  }
}

// A class becomes an interface of the global object, as WebIDL lays it out.
function expose(Class, { name = Class.name, hidden = false } = {}) {
  show(Class.prototype, ownKeys(Class.prototype));
  show(Class, ownKeys(Class));
  defineProperty(Class.prototype, toStringTag, { __proto__: null, value: name, configurable: true });
  if (!hidden) defineProperty(global, name, { __proto__: null, value: Class, writable: true, configurable: true });
}

function constants(Class, values) {
  for (const name of keys(values)) {
    const property = { __proto__: null, value: values[name], enumerable: true };
    defineProperty(Class, name, property);
    defineProperty(Class.prototype, name, property);
  }
}

// An iterator over [key, value] pairs that `at(index)` gives; undefined ends it.
const iteratorPrototype = getPrototypeOf(getPrototypeOf([][iterator]()));
function iteratorClass(name) {
  class PairIterator {
    #at;
    #kind;
    #index = 0;
    constructor(at, kind) {
      this.#at = at;
      this.#kind = kind;
    }
    next() {
      const pair = this.#at(this.#index++);
      if (pair === undefined) {
        this.#at = noop;
        return { value: undefined, done: true };
      }
      return { value: this.#kind === 'keys' ? pair[0] : this.#kind === 'values' ? pair[1] : [pair[0], pair[1]], done: false };
    }
  }
  const { prototype } = PairIterator;
  setPrototypeOf(prototype, iteratorPrototype);
  delete prototype.constructor;
  show(prototype, ['next']);
  defineProperty(prototype, toStringTag, { __proto__: null, value: name, configurable: true });
  return PairIterator;
}
