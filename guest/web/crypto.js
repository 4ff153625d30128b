// crypto: random bytes, and crypto.subtle, whose work is done by lazy/subtle.js.

const integerArrays = {
  __proto__: null, Int8Array: true, Uint8Array: true, Uint8ClampedArray: true, Int16Array: true, Uint16Array: true, Int32Array: true,
  Uint32Array: true, BigInt64Array: true, BigUint64Array: true,
};

let newKey, partsOf;  // what a key is inside, where no program comes
class CryptoKey {
  #parts;
  constructor(token, parts) {
    if (token !== madeHere) throw illegal();
    this.#parts = parts;
  }
  get type() { return this.#parts && 'secret'; }
  get extractable() { return this.#parts.extractable; }
  get algorithm() { return this.#parts.algorithm; }
  get usages() { return this.#parts.shown; }
  static {
    newKey = (parts) => new CryptoKey(madeHere, parts);
    partsOf = (key) => (isObject(key) && #parts in key ? key.#parts : undefined);
  }
}
expose(CryptoKey);

let work;  // the methods of crypto.subtle
const workOf = (name) => {
  work ??= natives.lazySubtle({
    __proto__: null, DOMException, TypeError, Uint8Array, isBytes, isObject, listOf, requireArguments, charCodeAt, upperCase, partsOf, newKey, defineProperty,
    typedArrayByteLength, typedArrayBuffer, bufferSlice, bytesCopy: natives.bytesCopy, randomFill: natives.randomFill,
    isBufferKind: (value) => {
      const kind = natives.kind(value);
      return kind === KIND.buffer || kind === KIND.typedArray || kind === KIND.dataView;
    },
  });
  return work[name];
};

class SubtleCrypto {
  #is = true;
  constructor(token) { if (token !== madeHere) throw illegal(); }
  static {
    const lengths = {
      __proto__: null, encrypt: 3, decrypt: 3, sign: 3, verify: 4, digest: 2, generateKey: 3, deriveKey: 5, deriveBits: 2, importKey: 5, exportKey: 2, wrapKey: 4, unwrapKey: 7,
    };
    for (const name in lengths) {
      const { [name]: method } = { async [name](...given) {
        if (!this.#is) throw illegal();
        return workOf(name)(given);
      } };
      defineProperty(method, 'length', { __proto__: null, value: lengths[name], configurable: true });
      defineProperty(this.prototype, name, { __proto__: null, value: method, writable: true, configurable: true });
    }
  }
}
expose(SubtleCrypto);

class Crypto {
  #subtle = new SubtleCrypto(madeHere);
  constructor(token) { if (token !== madeHere) throw illegal(); }
  get subtle() { return this.#subtle; }
  getRandomValues(array) {
    requireArguments(arguments.length, 1, 'getRandomValues');
    if (!(#subtle in this)) throw new TypeError('Illegal invocation');
    if (natives.kind(array) !== KIND.typedArray || !integerArrays[typedArrayName(array)]) {
      throw new DOMException('The data argument must be an integer-type TypedArray', 'TypeMismatchError');
    }
    if (typedArrayByteLength(array) > 65536) {
      throw new DOMException(`The requested length exceeds 65,536 bytes`, 'QuotaExceededError');
    }
    natives.randomFill(array);
    return array;
  }
  randomUUID() {
    if (!(#subtle in this)) throw new TypeError('Illegal invocation');
    return natives.randomUuid();
  }
}
expose(Crypto);
const theCrypto = new Crypto(madeHere);
defineProperty(global, 'crypto', { __proto__: null, get: () => theCrypto, set: undefined, enumerable: true, configurable: true });
