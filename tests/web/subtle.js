// crypto.subtle: keys, HMAC, AES-GCM, PBKDF2 and HKDF.
const lines = [];
const print = (...values) => lines.push(values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' '));
const rejected = async (action) => { try { return JSON.stringify(await action()) ?? 'nothing'; } catch (error) { return error instanceof DOMException ? `DOMException ${error.name}` : error.name; } };
const hex = (buffer) => [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
const bytes = (text) => Uint8Array.from(text.match(/../g) ?? [], (byte) => parseInt(byte, 16));
const text = (string) => new TextEncoder().encode(string);
const sorted = (object) => JSON.stringify(Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => [key, Array.isArray(value) ? [...value].sort() : value])));
const { subtle } = crypto;
const hashes = ['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512'];
const hmacKey = (key, hash = 'SHA-256', usages = ['sign', 'verify'], extractable = true) => subtle.importKey('raw', key, { name: 'HMAC', hash }, extractable, usages);
const gcmKey = (key, usages = ['encrypt', 'decrypt']) => subtle.importKey('raw', key, 'AES-GCM', true, usages);

// RFC 4231 and RFC 2202, and sizes around those of blocks.
for (const [key, data] of [['0b'.repeat(20), text('Hi There')], ['4a656665', text('what do ya want for nothing?')], ['aa'.repeat(131), text('Test Using Larger Than Block-Size Key - Hash Key First')]]) {
  for (const hash of hashes) print(hash, hex(await subtle.sign('HMAC', await hmacKey(bytes(key), hash), data)));
}
for (const hash of hashes) {
  let all = '';
  for (const size of [1, 20, 63, 64, 65, 127, 128, 129, 200]) all += hex(await subtle.sign({ name: 'hmac' }, await hmacKey(new Uint8Array(size).fill(size), { name: hash }), new Uint8Array(size * 3)));
  print(hash, hex(await subtle.digest('SHA-256', text(all))));
}

// The vectors of the GCM specification (4 to 6, 10, 15 to 18) and of an empty text.
const plain = bytes('d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39');
const more = bytes('feedfacedeadbeeffeedfacedeadbeefabaddad2');
const long = bytes('9313225df88406e555909c5aff5269aa6a7a9538534f7da1e4c303d2a318a728c3c0c95156809539fcf0e2429a6b525416aedbf5a0de6a57a637b39b');
for (const size of [16, 24, 32]) {
  const key = await gcmKey(bytes('feffe9928665731c6d6a8f9467308308'.repeat(2)).subarray(0, size));
  for (const iv of [bytes('cafebabefacedbaddecaf888'), long]) {
    const sealed = await subtle.encrypt({ name: 'AES-GCM', iv, additionalData: more }, key, plain);
    print(size, iv.length, hex(sealed), hex(await subtle.decrypt({ name: 'aes-gcm', iv, additionalData: more, tagLength: 128 }, key, sealed)) === hex(plain));
  }
  // (Node takes no iv of less than 12 bytes.)
  const tag = { 16: '3612d2e79e3b0785561be14aaca2fccb', 24: '65dcc57fcf623a24094fcca40d3533f8', 32: '3a337dbf46a792c45e454913fe2ea8f2' }[size];
  print(await subtle.encrypt({ name: 'AES-GCM', iv: bytes('cafebabefacedbad'), additionalData: more }, key, plain).then((sealed) => hex(sealed).slice(-32), () => tag) === tag);
  print(hex(await subtle.encrypt({ name: 'AES-GCM', iv: new Uint8Array(12) }, await gcmKey(new Uint8Array(size)), new Uint8Array(0))));
}
const key = await gcmKey(new Uint8Array(16).fill(7));
const iv = new Uint8Array(12).fill(9);
for (const tagLength of [32, 64, 96, 104, 112, 120, 128]) print(tagLength, hex(await subtle.encrypt({ name: 'AES-GCM', iv, tagLength }, key, text('tagged'))));
for (const tagLength of [0, 8, 40, 97, 136, 256, -1, NaN, 'x']) print(tagLength, await rejected(() => subtle.encrypt({ name: 'AES-GCM', iv, tagLength }, key, text('tagged'))));
let sizes = '';
for (let size = 0; size < 70; size++) {
  const data = new Uint8Array(size).fill(size);
  const how = { name: 'AES-GCM', iv: new Uint8Array(size + 12), additionalData: data };
  const sealed = await subtle.encrypt(how, key, data);
  sizes += hex(sealed);
  if (hex(await subtle.decrypt(how, key, sealed)) !== hex(data)) print('wrong', size);
}
print(hex(await subtle.digest('SHA-256', text(sizes))));
// What was changed is refused, wherever it was changed.
const sealed = new Uint8Array(await subtle.encrypt({ name: 'AES-GCM', iv, additionalData: more }, key, text('secret')));
let refused = 0;
for (let i = 0; i < sealed.length; i++) {
  const changed = sealed.slice();
  changed[i] ^= 1 << (i % 8);
  if (await rejected(() => subtle.decrypt({ name: 'AES-GCM', iv, additionalData: more }, key, changed)) === 'DOMException OperationError') refused++;
}
print(refused === sealed.length, await rejected(() => subtle.decrypt({ name: 'AES-GCM', iv }, key, sealed)), await rejected(() => subtle.decrypt({ name: 'AES-GCM', iv: text('another iv..'), additionalData: more }, key, sealed)));
print(await rejected(() => subtle.decrypt({ name: 'AES-GCM', iv }, key, new Uint8Array(15))), await rejected(() => subtle.decrypt({ name: 'AES-GCM', iv }, key, new Uint8Array(0))));

// verify.
const signer = await hmacKey(text('key'));
const signature = new Uint8Array(await subtle.sign('HMAC', signer, text('data')));
print(await subtle.verify('HMAC', signer, signature, text('data')), await subtle.verify('HMAC', signer, signature, text('date')), await subtle.verify('HMAC', signer, signature.subarray(1), text('data')), await subtle.verify('HMAC', signer, new Uint8Array(0), text('data')));

// A JSON web token.
const base64url = (data) => btoa(String.fromCharCode(...new Uint8Array(data))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
const head = `${base64url(text(JSON.stringify({ alg: 'HS256', typ: 'JWT' })))}.${base64url(text(JSON.stringify({ sub: '1234567890', name: 'John Doe', iat: 1516239022 })))}`;
print(`${head}.${base64url(await subtle.sign('HMAC', await hmacKey(text('your-256-bit-secret')), text(head)))}`);

// PBKDF2 (RFC 6070 and 7914) and HKDF (RFC 5869).
const derive = async (name, material, algorithm, length) => hex(await subtle.deriveBits({ name, ...algorithm }, await subtle.importKey('raw', material, name, false, ['deriveBits']), length));
print(await derive('PBKDF2', text('password'), { hash: 'SHA-1', salt: text('salt'), iterations: 1 }, 160), await derive('PBKDF2', text('password'), { hash: 'SHA-1', salt: text('salt'), iterations: 4096 }, 160));
print(await derive('PBKDF2', text('passwordPASSWORDpassword'), { hash: 'SHA-1', salt: text('saltSALTsaltSALTsaltSALTsaltSALTsalt'), iterations: 100 }, 200), await derive('PBKDF2', text('passwd'), { hash: 'SHA-256', salt: text('salt'), iterations: 1 }, 512));
for (const hash of hashes) print(hash, await derive('PBKDF2', new Uint8Array(150).fill(3), { hash, salt: new Uint8Array(0), iterations: 3 }, 1000 - 1000 % 8), await derive('HKDF', new Uint8Array(22).fill(0x0b), { hash, salt: bytes('000102030405060708090a0b0c'), info: bytes('f0f1f2f3f4f5f6f7f8f9') }, 336));
print(await derive('HKDF', new Uint8Array(22).fill(0x0b), { hash: 'SHA-256', salt: new Uint8Array(0), info: new Uint8Array(0) }, 336));
const material = await subtle.importKey('raw', text('password'), 'PBKDF2', false, ['deriveKey']);
const derived = await subtle.deriveKey({ name: 'PBKDF2', salt: text('salt'), iterations: 1000, hash: 'SHA-256' }, material, { name: 'AES-GCM', length: 256 }, true, ['encrypt', 'decrypt']);
print(hex(await subtle.exportKey('raw', derived)), sorted(derived.algorithm));
print(sorted(await subtle.exportKey('jwk', await subtle.deriveKey({ name: 'PBKDF2', salt: text('salt'), iterations: 10, hash: 'SHA-512' }, material, { name: 'HMAC', hash: 'SHA-1' }, true, ['sign']))));

// Keys.
for (const made of [key, signer, derived, await hmacKey(text('k'), 'SHA-512', ['verify', 'sign', 'sign'], false), material, await subtle.importKey('raw', text('abc'), { name: 'HMAC', hash: 'SHA-1', length: 22 }, true, ['sign'])]) {
  print(made.type, made.extractable, sorted(made.algorithm), [...made.usages].sort(), Object.prototype.toString.call(made), made instanceof CryptoKey, made.algorithm === made.algorithm);
}
for (const made of [key, signer, await hmacKey(text('k'), 'SHA-384', ['verify'])]) {
  const jwk = await subtle.exportKey('jwk', made);
  print(sorted(jwk));
  const again = await subtle.importKey('jwk', jwk, { name: made.algorithm.name, hash: made.algorithm.hash }, false, made.usages);
  print(again.extractable, sorted(again.algorithm), hex(await subtle.exportKey('raw', made)));
}
for (const [algorithm, usages] of [[{ name: 'AES-GCM', length: 128 }, ['encrypt']], [{ name: 'AES-GCM', length: 256 }, ['decrypt', 'encrypt']], [{ name: 'HMAC', hash: 'SHA-1' }, ['sign']], [{ name: 'HMAC', hash: 'SHA-512' }, ['sign']], [{ name: 'HMAC', hash: 'SHA-256', length: 40 }, ['sign']]]) {
  const [one, two] = [await subtle.generateKey(algorithm, true, usages), await subtle.generateKey(algorithm, true, usages)];
  print(sorted(one.algorithm), one.usages, (await subtle.exportKey('raw', one)).byteLength, hex(await subtle.exportKey('raw', one)) !== hex(await subtle.exportKey('raw', two)));
}

// What is refused, and how. None of it throws at once.
const jwk = { kty: 'oct', k: 'AAAAAAAAAAAAAAAAAAAAAA' };
const hmac = { name: 'HMAC', hash: 'SHA-256' };
const wrong = {
  format: () => subtle.importKey('text', iv, hmac, true, ['sign']),
  spki: () => subtle.importKey('spki', iv, hmac, true, ['sign']),
  usage: () => subtle.importKey('raw', iv, hmac, true, ['read']),
  otherUsage: () => subtle.importKey('raw', iv, hmac, true, ['encrypt']),
  noUsage: () => subtle.importKey('raw', iv, hmac, true, []),
  noList: () => subtle.importKey('raw', iv, hmac, true, 7),
  noHash: () => subtle.importKey('raw', iv, 'HMAC', true, ['sign']),
  otherHash: () => subtle.importKey('raw', iv, { name: 'HMAC', hash: 'MD5' }, true, ['sign']),
  empty: () => subtle.importKey('raw', new Uint8Array(0), hmac, true, ['sign']),
  longer: () => subtle.importKey('raw', iv, { ...hmac, length: 97 }, true, ['sign']),
  shorter: () => subtle.importKey('raw', iv, { ...hmac, length: 88 }, true, ['sign']),
  aesSize: () => subtle.importKey('raw', new Uint8Array(17), 'AES-GCM', true, ['encrypt']),
  aesUsage: () => subtle.importKey('raw', new Uint8Array(16), 'AES-GCM', true, ['sign']),
  noName: () => subtle.importKey('raw', iv, {}, true, ['sign']),
  unknown: () => subtle.importKey('raw', iv, 'ROT-13', true, ['sign']),
  few: () => subtle.importKey('raw', iv, hmac, true),
  noBytes: () => subtle.importKey('raw', 'text', hmac, true, ['sign']),
  kty: () => subtle.importKey('jwk', { ...jwk, kty: 'RSA' }, hmac, true, ['sign']),
  noK: () => subtle.importKey('jwk', { kty: 'oct' }, hmac, true, ['sign']),
  alg: () => subtle.importKey('jwk', { ...jwk, alg: 'HS512' }, hmac, true, ['sign']),
  aesAlg: () => subtle.importKey('jwk', { ...jwk, alg: 'A256GCM' }, 'AES-GCM', true, ['encrypt']),
  use: () => subtle.importKey('jwk', { ...jwk, use: 'enc' }, hmac, true, ['sign']),
  keyOps: () => subtle.importKey('jwk', { ...jwk, key_ops: ['verify'] }, hmac, true, ['sign']),
  keyOpsTwice: () => subtle.importKey('jwk', { ...jwk, key_ops: ['sign', 'sign'] }, hmac, true, ['sign']),
  ext: () => subtle.importKey('jwk', { ...jwk, ext: false }, hmac, true, ['sign']),
  extractablePassword: () => subtle.importKey('raw', iv, 'PBKDF2', true, ['deriveBits']),
  generateSize: () => subtle.generateKey({ name: 'AES-GCM', length: 100 }, true, ['encrypt']),
  generateNoSize: () => subtle.generateKey({ name: 'AES-GCM' }, true, ['encrypt']),
  generateUsage: () => subtle.generateKey({ name: 'AES-GCM', length: 128 }, true, ['sign']),
  generateNothing: () => subtle.generateKey({ name: 'HMAC', hash: 'SHA-1', length: 0 }, true, ['sign']),
  generateUseless: () => subtle.generateKey({ name: 'HMAC', hash: 'SHA-1' }, true, []),
  signWithAes: () => subtle.sign('HMAC', key, iv),
  encryptWithHmac: () => subtle.encrypt({ name: 'AES-GCM', iv }, signer, iv),
  signByName: () => subtle.sign('AES-GCM', key, iv),
  noIv: () => subtle.encrypt('AES-GCM', key, iv),
  textIv: () => subtle.encrypt({ name: 'AES-GCM', iv: 'text' }, key, iv),
  notToDecrypt: async () => subtle.decrypt({ name: 'AES-GCM', iv }, await gcmKey(new Uint8Array(16), ['encrypt']), sealed),
  notToSign: async () => subtle.sign('HMAC', await hmacKey(iv, 'SHA-1', ['verify']), iv),
  noKey: () => subtle.sign('HMAC', {}, iv),
  forgedKey: () => subtle.sign('HMAC', Object.create(signer), iv),
  otherForgedKey: () => subtle.sign('HMAC', Object.setPrototypeOf({ ...hmac, type: 'secret' }, CryptoKey.prototype), iv),
  notExtractable: async () => subtle.exportKey('raw', await hmacKey(iv, 'SHA-1', ['sign'], false)),
  exportFormat: () => subtle.exportKey('spki', signer),
  exportPassword: () => subtle.exportKey('raw', material),
  deriveSize: () => subtle.deriveBits({ name: 'PBKDF2', salt: iv, iterations: 1, hash: 'SHA-1' }, material, 8),
  deriveNothing: async () => derive('PBKDF2', iv, { hash: 'SHA-1', salt: iv, iterations: 0 }, 8),
  deriveOdd: async () => derive('HKDF', iv, { hash: 'SHA-1', salt: iv, info: iv }, 7),
  deriveMuch: async () => derive('HKDF', iv, { hash: 'SHA-1', salt: iv, info: iv }, 255 * 160 + 8),
  deriveNull: async () => derive('HKDF', iv, { hash: 'SHA-1', salt: iv, info: iv }, null),
  digest: () => subtle.digest('MD5', iv),
  digestNothing: () => subtle.digest(),
  unborn: () => SubtleCrypto.prototype.sign.call({}, 'HMAC', signer, iv),
};
for (const [name, action] of Object.entries(wrong)) print(name, await rejected(action));
print(await rejected(async () => new CryptoKey()), Object.keys(CryptoKey.prototype).sort(), typeof CryptoKey);
console.log(lines.join('\n'));
