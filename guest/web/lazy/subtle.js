// crypto.subtle: digests, HMAC, AES-GCM, PBKDF2 and HKDF. It becomes bytecode that is read at the first call
// (guest/web/subtle.c), when the program may have changed all that is global: everything comes with `tools`.
// Each method gets the arguments of the call as a list and returns or throws; crypto.js makes promises of that.

const {
  DOMException, TypeError, Uint8Array, isBytes, isObject, bytesCopy, listOf, requireArguments, isBufferKind, charCodeAt, upperCase, partsOf, newKey, randomFill,
  typedArrayByteLength: sizeOf, typedArrayBuffer: bufferOf, bufferSlice,
} = tools;

const hashes = { __proto__: null, 'SHA-1': 0, 'SHA-256': 1, 'SHA-384': 2, 'SHA-512': 3 };
const hashBits = [160, 256, 384, 512];
const blockBits = [512, 512, 1024, 1024];
const jwkHash = ['HS1', 'HS256', 'HS384', 'HS512'];
const SUPPORTED = 'crypto.subtle has SHA-1, SHA-256, SHA-384 and SHA-512, HMAC, AES-GCM, PBKDF2 and HKDF';

const failure = (name, message) => new DOMException(message, name);
const unsupported = (name, operation) => failure('NotSupportedError', `Unrecognized algorithm name: ${name} cannot ${operation} here. ${SUPPORTED}`);

// ---- Arguments, as WebIDL converts them.

function bytesOf(value, what) {
  if (isBytes(value)) return bytesCopy(value);
  if (!isBufferKind(value)) throw new TypeError(`${what} must be an ArrayBuffer or a view of one`);
  return new Uint8Array(0);  // it was detached
}

function integer(value, most, what) {
  let number = +value;
  if (!(number > -Infinity && number < Infinity)) throw new TypeError(`${what} is not a finite number`);
  number -= number % 1;
  if (number < 0 || number > most) throw new TypeError(`${what} is outside of 0 to ${most}`);
  return number;
}
const octet = (value, what) => integer(value, 255, what);
const long = (value, what) => integer(value, 4294967295, what);

function oneOf(value, names, what) {
  value = `${value}`;
  for (let i = 0; i < names.length; i++) if (names[i] === value) return value;
  throw new TypeError(`'${value}' is no ${what}`);
}

const USAGES = ['encrypt', 'decrypt', 'sign', 'verify', 'deriveKey', 'deriveBits', 'wrapKey', 'unwrapKey'];
const FORMATS = ['raw', 'spki', 'pkcs8', 'jwk'];

// A set of usages, in the order of the standard.
function usagesOf(value) {
  if (!isObject(value)) throw new TypeError('The usages of a key must be a list');
  const given = listOf(value, 'A list of usages');
  const found = { __proto__: null };
  for (let i = 0; i < given.length; i++) found[oneOf(given[i], USAGES, 'usage of a key')] = true;
  return found;
}
function listUsages(found) {
  const list = [];
  for (let i = 0; i < USAGES.length; i++) if (found[USAGES[i]]) tools.defineProperty(list, list.length, { __proto__: null, value: USAGES[i], writable: true, enumerable: true, configurable: true });
  return list;
}

function nameOf(algorithm) {
  let name = algorithm;
  if (isObject(algorithm)) {
    name = algorithm.name;
    if (name === undefined) throw new TypeError('An algorithm must have a name');
  }
  name = `${name}`;
  let plain = true;
  for (let i = 0; i < name.length; i++) plain &&= charCodeAt(name, i) < 128;
  return plain ? upperCase(name) : name;
}

function hashOf(algorithm) {
  const name = nameOf(algorithm);
  const which = hashes[name];
  if (which === undefined) throw unsupported(name, 'digest');
  return { __proto__: null, name, which };
}

function member(algorithm, name, convert, isRequired = true) {
  const value = isObject(algorithm) ? algorithm[name] : undefined;
  if (value === undefined) {
    if (isRequired) throw new TypeError(`The member '${name}' of the algorithm is missing`);
    return undefined;
  }
  return convert(value, name);
}

// ---- What the algorithms take, by operation. The members are read in the order of the standard.

const gcm = (a) => ({ __proto__: null, more: member(a, 'additionalData', same, false), iv: member(a, 'iv', same), tag: member(a, 'tagLength', octet, false) });
const same = (value) => value;
const hmacKey = (a) => ({ __proto__: null, hash: member(a, 'hash', hashOf), length: member(a, 'length', long, false) });
const nothing = () => ({ __proto__: null });
const operations = {
  __proto__: null,
  digest: { __proto__: null, 'SHA-1': nothing, 'SHA-256': nothing, 'SHA-384': nothing, 'SHA-512': nothing },
  encrypt: { __proto__: null, 'AES-GCM': gcm },
  sign: { __proto__: null, HMAC: nothing },
  import: { __proto__: null, HMAC: hmacKey, 'AES-GCM': nothing, PBKDF2: nothing, HKDF: nothing },
  generate: { __proto__: null, HMAC: hmacKey, 'AES-GCM': (a) => ({ __proto__: null, length: member(a, 'length', (value) => integer(value, 65535, 'length')) }) },
  derive: {
    __proto__: null,
    PBKDF2: (a) => ({ __proto__: null, hash: member(a, 'hash', hashOf), iterations: member(a, 'iterations', long), salt: member(a, 'salt', same) }),
    HKDF: (a) => ({ __proto__: null, hash: member(a, 'hash', hashOf), info: member(a, 'info', same), salt: member(a, 'salt', same) }),
  },
};
const verbs = { __proto__: null, encrypt: 'encrypt or decrypt', sign: 'sign or verify', import: 'be imported', generate: 'be generated', derive: 'derive', digest: 'digest' };

function normalized(operation, algorithm) {
  const name = nameOf(algorithm);
  const read = operations[operation][name];
  if (read === undefined) throw unsupported(name, verbs[operation]);
  const found = read(algorithm);
  found.name = name;
  return found;
}

function keyFor(algorithm, parts, usage) {
  if (parts.name !== algorithm.name) throw failure('InvalidAccessError', `The key is one of ${parts.name}, not of ${algorithm.name}`);
  if (!parts.usages[usage]) throw failure('InvalidAccessError', `The key was not made to ${usage}`);
  return parts;
}

function partsOfKey(key) {
  const parts = partsOf(key);
  if (parts === undefined) throw new TypeError('The key must be a CryptoKey');
  return parts;
}

// ---- Keys.

function checkUsages(name, usages, allowed) {
  for (let i = 0; i < USAGES.length; i++) {
    let isAllowed = !usages[USAGES[i]];
    for (let k = 0; k < allowed.length; k++) isAllowed ||= allowed[k] === USAGES[i];
    if (!isAllowed) throw failure('SyntaxError', `A key of ${name} cannot ${USAGES[i]}`);
  }
}

function madeKey(name, bytes, extractable, usages, hash, length) {
  const shown = listUsages(usages);
  if (shown.length === 0) throw failure('SyntaxError', 'A key without usages is good for nothing');
  const algorithm = hash === undefined ? (length === undefined ? { name } : { name, length }) : { name, length, hash: { name: hash.name } };
  return newKey({ __proto__: null, name, bytes, extractable, usages, hash, algorithm, shown });
}

const usagesFor = {
  __proto__: null, HMAC: ['sign', 'verify'], 'AES-GCM': ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'], PBKDF2: ['deriveKey', 'deriveBits'], HKDF: ['deriveKey', 'deriveBits'],
};

const jwkMembers = ['alg', 'ext', 'k', 'key_ops', 'kty', 'use'];
function jwkOf(value) {
  if (value === undefined || value === null || !isObject(value) || isBufferKind(value)) throw new TypeError('The data of a JWK must be an object');
  const jwk = { __proto__: null };
  for (let i = 0; i < jwkMembers.length; i++) {
    const name = jwkMembers[i];
    const given = value[name];
    if (given === undefined) continue;
    if (name === 'ext') jwk.ext = !!given;
    else if (name === 'key_ops') {
      if (!isObject(given)) throw new TypeError('key_ops must be a list');
      const list = listOf(given, 'key_ops');
      for (let k = 0; k < list.length; k++) list[k] = `${list[k]}`;
      jwk.key_ops = list;
    } else jwk[name] = `${given}`;
  }
  return jwk;
}

function bytesOfJwk(jwk, alg, use, extractable, usages) {
  if (jwk.kty !== 'oct') throw failure('DataError', 'The member kty of the JWK must be "oct"');
  const bytes = jwk.k === undefined ? undefined : natives.fromBase64url(jwk.k);
  if (bytes === undefined) throw failure('DataError', 'The member k of the JWK must be base64url');
  const wanted = alg(bytes);
  if (jwk.alg !== undefined && jwk.alg !== wanted) throw failure('DataError', `The member alg of the JWK must be "${wanted}"`);
  if (jwk.use !== undefined && listUsages(usages).length > 0 && jwk.use !== use) throw failure('DataError', `The member use of the JWK must be "${use}"`);
  if (jwk.key_ops !== undefined) {
    const found = { __proto__: null };
    for (let i = 0; i < jwk.key_ops.length; i++) {
      if (found[jwk.key_ops[i]]) throw failure('DataError', 'A usage is in key_ops twice');
      found[jwk.key_ops[i]] = true;
    }
    for (let i = 0; i < USAGES.length; i++) {
      if (usages[USAGES[i]] && !found[USAGES[i]]) throw failure('DataError', `The JWK's key_ops have no "${USAGES[i]}"`);
    }
  }
  if (jwk.ext === false && extractable) throw failure('DataError', 'The JWK is not to be extractable');
  return bytes;
}

function imported(format, data, algorithm, extractable, usages) {
  const { name, hash } = algorithm;
  if (format !== 'raw' && (format !== 'jwk' || name === 'PBKDF2' || name === 'HKDF')) {
    throw failure('NotSupportedError', `A key of ${name} cannot be imported as ${format}`);
  }
  checkUsages(name, usages, usagesFor[name]);
  if (name === 'PBKDF2' || name === 'HKDF') {
    if (extractable) throw failure('SyntaxError', `A key of ${name} cannot be extractable`);
    return madeKey(name, data, false, usages);
  }
  if (name === 'AES-GCM') {
    const bytes = format === 'jwk' ? bytesOfJwk(data, (k) => `A${sizeOf(k) * 8}GCM`, 'enc', extractable, usages) : data;
    const length = sizeOf(bytes) * 8;
    if (length !== 128 && length !== 192 && length !== 256) throw failure('DataError', 'A key of AES-GCM has 128, 192 or 256 bits');
    return madeKey(name, bytes, extractable, usages, undefined, length);
  }
  const bytes = format === 'jwk' ? bytesOfJwk(data, () => jwkHash[hash.which], 'sig', extractable, usages) : data;
  let length = sizeOf(bytes) * 8;
  if (length === 0) throw failure('DataError', 'A key of HMAC has at least one byte');
  if (algorithm.length !== undefined) {
    if (algorithm.length > length || algorithm.length <= length - 8) throw failure('DataError', 'The length of the key is another');
    ({ length } = algorithm);
  }
  return madeKey(name, bytes, extractable, usages, hash, length);
}

// The bits that a derived or generated key has.
function lengthOf(algorithm) {
  if (algorithm.name === 'AES-GCM') {
    const { length } = algorithm;
    if (length !== 128 && length !== 192 && length !== 256) throw failure('OperationError', 'A key of AES-GCM has 128, 192 or 256 bits');
    return length;
  }
  if (algorithm.name !== 'HMAC') return null;
  if (algorithm.length === 0) throw failure('OperationError', 'A key of HMAC has at least one bit');
  return algorithm.length ?? blockBits[algorithm.hash.which];
}

// ---- Ciphers, signatures, and what is derived.

function gcmOf(algorithm) {
  const iv = bytesOf(algorithm.iv, 'iv');
  const more = algorithm.more === undefined ? new Uint8Array(0) : bytesOf(algorithm.more, 'additionalData');
  const bits = algorithm.tag ?? 128;
  if (bits !== 32 && bits !== 64 && (bits < 96 || bits > 128 || bits % 8 !== 0)) throw failure('OperationError', `The tag cannot have ${bits} bits`);
  if (sizeOf(iv) === 0) throw failure('OperationError', 'The iv is empty');
  return { __proto__: null, iv, more, tag: bits / 8 };
}

function derived(algorithm, parts, length) {
  const { name, hash } = algorithm;
  const salt = bytesOf(algorithm.salt, 'salt');
  const info = name === 'HKDF' ? bytesOf(algorithm.info, 'info') : undefined;
  if (length === null || length % 8 !== 0) throw failure('OperationError', 'The number of bits must be a multiple of 8');
  const size = length / 8;
  if (name === 'PBKDF2') {
    if (algorithm.iterations === 0) throw failure('OperationError', 'There must be an iteration at least');
    return natives.pbkdf2(hash.which, parts.bytes, salt, algorithm.iterations, size);
  }
  if (length > 255 * hashBits[hash.which]) throw failure('OperationError', 'So many bits cannot be derived');
  return natives.hkdf(hash.which, parts.bytes, salt, info, size);
}

return {
  __proto__: null,
  digest({ length: count, 0: algorithm, 1: data }) {
    requireArguments(count, 2, 'digest');
    data = bytesOf(data, 'The data of a digest');
    return natives.digest(hashes[normalized('digest', algorithm).name], data);
  },

  encrypt({ length: count, 0: algorithm, 1: key, 2: data }) {
    requireArguments(count, 3, 'encrypt');
    const parts = partsOfKey(key);
    data = bytesOf(data, 'The data');
    const wanted = normalized('encrypt', algorithm);
    keyFor(wanted, parts, 'encrypt');
    const { iv, more, tag } = gcmOf(wanted);
    return natives.seal(parts.bytes, iv, more, data, tag);
  },

  decrypt({ length: count, 0: algorithm, 1: key, 2: data }) {
    requireArguments(count, 3, 'decrypt');
    const parts = partsOfKey(key);
    data = bytesOf(data, 'The data');
    const wanted = normalized('encrypt', algorithm);
    keyFor(wanted, parts, 'decrypt');
    const { iv, more, tag } = gcmOf(wanted);
    const text = sizeOf(data) < tag ? undefined : natives.open(parts.bytes, iv, more, data, tag);
    if (text === undefined) throw failure('OperationError', 'The data could not be decrypted: key, iv, additionalData or the data itself are not those of the encryption');
    return text;
  },

  sign({ length: count, 0: algorithm, 1: key, 2: data }) {
    requireArguments(count, 3, 'sign');
    const parts = partsOfKey(key);
    data = bytesOf(data, 'The data');
    keyFor(normalized('sign', algorithm), parts, 'sign');
    return natives.hmac(parts.hash.which, parts.bytes, data);
  },

  verify({ length: count, 0: algorithm, 1: key, 2: signature, 3: data }) {
    requireArguments(count, 4, 'verify');
    const parts = partsOfKey(key);
    signature = bytesOf(signature, 'The signature');
    data = bytesOf(data, 'The data');
    keyFor(normalized('sign', algorithm), parts, 'verify');
    return natives.equal(natives.hmac(parts.hash.which, parts.bytes, data), signature);
  },

  importKey({ length: count, 0: format, 1: data, 2: algorithm, 3: extractable, 4: usages }) {
    requireArguments(count, 5, 'importKey');
    format = oneOf(format, FORMATS, 'format of a key');
    data = format === 'jwk' ? jwkOf(data) : bytesOf(data, 'The data of a key');
    usages = usagesOf(usages);
    return imported(format, data, normalized('import', algorithm), !!extractable, usages);
  },

  exportKey({ length: count, 0: format, 1: key }) {
    requireArguments(count, 2, 'exportKey');
    format = oneOf(format, FORMATS, 'format of a key');
    const { name, bytes, hash, extractable, usages } = partsOfKey(key);
    if (name !== 'HMAC' && name !== 'AES-GCM') throw failure('NotSupportedError', `A key of ${name} cannot be exported`);
    if (!extractable) throw failure('InvalidAccessError', 'The key is not extractable');
    if (format === 'raw') return bufferSlice(bufferOf(bytes), 0);
    if (format !== 'jwk') throw failure('NotSupportedError', `A key of ${name} cannot be exported as ${format}`);
    return {
      alg: name === 'HMAC' ? jwkHash[hash.which] : `A${sizeOf(bytes) * 8}GCM`, ext: true, k: natives.toBase64url(bytes), key_ops: listUsages(usages), kty: 'oct',
    };
  },

  generateKey({ length: count, 0: algorithm, 1: extractable, 2: usages }) {
    requireArguments(count, 3, 'generateKey');
    usages = usagesOf(usages);
    const wanted = normalized('generate', algorithm);
    checkUsages(wanted.name, usages, usagesFor[wanted.name]);
    const length = lengthOf(wanted);
    const key = madeKey(wanted.name, new Uint8Array((length + 7 - (length + 7) % 8) / 8), !!extractable, usages, wanted.hash, length);
    randomFill(partsOf(key).bytes);
    return key;
  },

  deriveBits({ length: count, 0: algorithm, 1: key, 2: length }) {
    requireArguments(count, 2, 'deriveBits');
    const parts = partsOfKey(key);
    length = length === undefined || length === null ? null : long(length, 'The length');
    const wanted = normalized('derive', algorithm);
    keyFor(wanted, parts, 'deriveBits');
    return derived(wanted, parts, length);
  },

  deriveKey({ length: count, 0: algorithm, 1: key, 2: type, 3: extractable, 4: usages }) {
    requireArguments(count, 5, 'deriveKey');
    const parts = partsOfKey(key);
    usages = usagesOf(usages);
    const wanted = normalized('derive', algorithm);
    const name = nameOf(type);
    const wantedType = normalized(name === 'PBKDF2' || name === 'HKDF' ? 'import' : 'generate', type);
    keyFor(wanted, parts, 'deriveKey');
    const bits = derived(wanted, parts, lengthOf(wantedType));
    return imported('raw', new Uint8Array(bits), wantedType, !!extractable, usages);
  },

  wrapKey() { throw failure('NotSupportedError', 'wrapKey is not here: export the key, and encrypt that'); },
  unwrapKey() { throw failure('NotSupportedError', 'unwrapKey is not here: decrypt, and import that as a key'); },
};
