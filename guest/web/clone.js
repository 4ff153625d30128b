// structuredClone: the structured clone algorithm within one realm, and transfer of ArrayBuffers.

const uncloneable = (what) => new DOMException(`${what} could not be cloned.`, 'DataCloneError');

function describe(value, kind) {
  if (kind === KIND.symbol) return symbolText(value);
  if (kind === KIND.function) return functionText(value);
  return '#<Object>';
}
const symbolText = uncurry(Symbol.prototype.toString);
const functionText = uncurry(Function.prototype.toString);
const numberValue = uncurry(Number.prototype.valueOf);
const stringValue = uncurry(String.prototype.valueOf);
const booleanValue = uncurry(Boolean.prototype.valueOf);
const bigintValue = uncurry(BigInt.prototype.valueOf);
const dateValue = uncurry(Date.prototype.getTime);
const regexpSource = getterOf(RegExp.prototype, 'source');
const regexpFlags = getterOf(RegExp.prototype, 'flags');
const regexpFlag = {
  __proto__: null, d: 'hasIndices', g: 'global', i: 'ignoreCase', m: 'multiline', s: 'dotAll', u: 'unicode', v: 'unicodeSets', y: 'sticky',
};
for (const flag of keys(regexpFlag)) regexpFlag[flag] = getterOf(RegExp.prototype, regexpFlag[flag]);
const flagNames = keys(regexpFlag);
const bufferMaxByteLength = getterOf(ArrayBuffer.prototype, 'maxByteLength');
const bufferResizable = getterOf(ArrayBuffer.prototype, 'resizable');
const exceptionName = getterOf(DOMException.prototype, 'name');
const exceptionMessage = getterOf(DOMException.prototype, 'message');
const errorClasses = { __proto__: null, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
const arrayClasses = { __proto__: null };
for (const name of [
  'Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array', 'Float16Array',
  'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array',
]) if (global[name]) arrayClasses[name] = global[name];

const define = (object, key, value) => {
  defineProperty(object, key, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
};
const defineHidden = (object, key, value) => {
  defineProperty(object, key, { __proto__: null, value, writable: true, enumerable: false, configurable: true });
};

function cloneBuffer(buffer) {
  const size = bufferByteLength(buffer);
  const copy = bufferResizable(buffer)
    ? new ArrayBuffer(size, { __proto__: null, maxByteLength: bufferMaxByteLength(buffer) })
    : new ArrayBuffer(size);
  natives.copyBytes(buffer, copy);
  return copy;
}

function cloneError(error, seen) {
  const name = `${error.name}`;
  const copy = new (errorClasses[name] ?? Error)();
  mapSet(seen, error, copy);
  const message = getOwnPropertyDescriptor(error, 'message');
  if (message !== undefined && hasOwn(message, 'value')) defineHidden(copy, 'message', `${message.value}`);
  const { stack } = error;
  if (typeof stack === 'string') defineHidden(copy, 'stack', stack);
  else delete copy.stack;
  const cause = getOwnPropertyDescriptor(error, 'cause');
  if (cause !== undefined && hasOwn(cause, 'value')) defineHidden(copy, 'cause', clone(cause.value, seen));
  return copy;
}

function cloneMembers(value, copy, seen) {
  const names = keys(value);
  for (let i = 0; i < names.length; i++) {
    // A getter may have removed what comes after it.
    if (hasOwn(value, names[i])) define(copy, names[i], clone(value[names[i]], seen));
  }
  return copy;
}

function clone(value, seen) {
  const kind = natives.kind(value);
  if (kind === KIND.primitive) return value;
  if (kind === KIND.symbol) throw uncloneable(describe(value, kind));
  const known = mapGet(seen, value);
  if (known !== undefined) return known;
  const keep = (copy) => {
    mapSet(seen, value, copy);
    return copy;
  };
  switch (kind) {
    case KIND.object: {
      const special = clonePlatformObject(value);
      return special === undefined ? cloneMembers(value, keep({}), seen) : keep(special);
    }
    case KIND.array: {
      const copy = keep([]);
      copy.length = value.length;
      return cloneMembers(value, copy, seen);
    }
    case KIND.error: return cloneError(value, seen);
    case KIND.exception: {
      const copy = keep(new DOMException(exceptionMessage(value), exceptionName(value)));
      defineHidden(copy, 'stack', `${value.stack}`);
      return copy;
    }
    case KIND.number: return keep(Object(numberValue(value)));
    case KIND.string: return keep(Object(stringValue(value)));
    case KIND.boolean: return keep(Object(booleanValue(value)));
    case KIND.bigint: return keep(Object(bigintValue(value)));
    case KIND.date: return keep(new Date(dateValue(value)));
    case KIND.regexp: {
      let flags = '';
      for (let i = 0; i < flagNames.length; i++) if (regexpFlag[flagNames[i]](value)) flags += flagNames[i];
      return keep(new RegExp(regexpSource(value), flags));
    }
    case KIND.buffer: {
      if (!isBytes(value)) throw uncloneable('An ArrayBuffer is detached and');
      return keep(cloneBuffer(value));
    }
    case KIND.sharedBuffer: return keep(value);
    case KIND.typedArray: {
      if (!isBytes(value)) throw uncloneable('An ArrayBuffer is detached and');
      const buffer = clone(typedArrayBuffer(value), seen);
      return keep(new arrayClasses[typedArrayName(value)](buffer, typedArrayOffset(value), typedArrayLength(value)));
    }
    case KIND.dataView: {
      if (!isBytes(value)) throw uncloneable('An ArrayBuffer is detached and');
      const buffer = clone(viewBuffer(value), seen);
      return keep(new DataView(buffer, viewOffset(value), viewByteLength(value)));
    }
    case KIND.map: {
      const copy = keep(new Map());
      const entries = newList();
      mapForEach(value, (member, key) => { entries[entries.length] = key; entries[entries.length] = member; });
      for (let i = 0; i < entries.length; i += 2) mapSet(copy, clone(entries[i], seen), clone(entries[i + 1], seen));
      return copy;
    }
    case KIND.set: {
      const copy = keep(new Set());
      const entries = newList();
      setForEach(value, (member) => { entries[entries.length] = member; });
      for (let i = 0; i < entries.length; i++) setAdd(copy, clone(entries[i], seen));
      return copy;
    }
    default: throw uncloneable(describe(value, kind));
  }
}

// Set by blob.js.
let clonePlatformObject = noop;

function structuredClone(value, options = undefined) {
  requireArguments(arguments.length, 1, 'structuredClone');
  const { transfer } = dictionary(options, 'The options of structuredClone');
  const moved = transfer === undefined ? newList() : listOf(transfer, 'The transfer list');
  const seen = new Map();
  for (let i = 0; i < moved.length; i++) {
    if (natives.kind(moved[i]) !== KIND.buffer) throw new DOMException('Value not transferable', 'DataCloneError');
    if (!isBytes(moved[i])) throw new DOMException('An ArrayBuffer is detached and could not be transferred.', 'DataCloneError');
    if (natives.isImmutable(moved[i])) throw new DOMException('An ArrayBuffer is immutable and could not be transferred.', 'DataCloneError');
    if (mapHas(seen, moved[i])) {
      throw new DOMException('ArrayBuffer occurs in the transfer list more than once', 'DataCloneError');
    }
    // Empty until all the rest has been cloned: where that fails nothing has moved.
    const target = bufferResizable(moved[i])
      ? new ArrayBuffer(bufferByteLength(moved[i]), { __proto__: null, maxByteLength: bufferMaxByteLength(moved[i]) })
      : new ArrayBuffer(bufferByteLength(moved[i]));
    mapSet(seen, moved[i], target);
  }
  const copy = clone(value, seen);
  for (let i = 0; i < moved.length; i++) {
    if (!isBytes(moved[i])) throw new DOMException('An ArrayBuffer is detached and could not be transferred.', 'DataCloneError');
    natives.copyBytes(moved[i], mapGet(seen, moved[i]));
    natives.detach(moved[i]);
  }
  return copy;
}
defineProperty(global, 'structuredClone', {
  __proto__: null, value: structuredClone, writable: true, enumerable: true, configurable: true,
});
