// crypto: random bytes and digests. Keys, signatures and ciphers are not here.

const integerArrays = {
  __proto__: null, Int8Array: true, Uint8Array: true, Uint8ClampedArray: true, Int16Array: true, Uint16Array: true, Int32Array: true,
  Uint32Array: true, BigInt64Array: true, BigUint64Array: true,
};
const digests = { __proto__: null, 'SHA-1': 0, 'SHA-256': 1, 'SHA-384': 2, 'SHA-512': 3 };

class SubtleCrypto {
  #is = true;
  constructor(token) { if (token !== madeHere) throw illegal(); }
  async digest(algorithm, data) {
    requireArguments(arguments.length, 2, 'digest');
    const name = isObject(algorithm) ? algorithm.name : algorithm;
    const which = digests[upperCase(`${name}`)];
    if (!this.#is || which === undefined) throw new DOMException('Unrecognized algorithm name', 'NotSupportedError');
    if (!isBytes(data)) throw new TypeError('The data of a digest must be an ArrayBuffer or a view of one');
    return natives.digest(which, data);
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
