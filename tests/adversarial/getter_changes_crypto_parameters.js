// Buffers that are detached, resized or overwritten by the getters of an algorithm, and while a call is on its way: what
// counts is what they held when the call began. Getters that throw reject. Keys cannot be forged or changed.
// expect: ok=["rejected","same","same","empty","RangeError","same key","TypeError","TypeError","InvalidAccessError"]
const { subtle } = crypto;
const raw = new Uint8Array(16).fill(1);
const key = await subtle.importKey('raw', raw, 'AES-GCM', true, ['encrypt', 'decrypt']);
const iv = new Uint8Array(12);
const hex = (buffer) => new Uint8Array(buffer).toHex();
const plain = () => new Uint8Array(40).fill(7);
const expected = hex(await subtle.encrypt({ name: 'AES-GCM', iv }, key, plain()));
const outcome = (promise) => promise.then((sealed) => (hex(sealed) === expected ? 'same' : 'another'), (error) => error.name);
const results = [];

let called = false;
const throwing = subtle.encrypt({ name: 'AES-GCM', get iv() { called = true; throw new RangeError('no'); } }, key, plain());
results.push(called ? await throwing.catch(() => 'rejected') : 'not called');

const moved = plain();
results.push(await outcome(subtle.encrypt({ name: 'AES-GCM', get iv() { moved.buffer.transfer(0); return iv; } }, key, moved)));
const shrunk = new Uint8Array(new ArrayBuffer(40, { maxByteLength: 80 })).fill(7);
const running = subtle.encrypt({ name: 'AES-GCM', iv }, key, shrunk);
shrunk.buffer.resize(1);
shrunk[0] = 9;
results.push(await outcome(running));

const gone = new Uint8Array(12);
const detached = subtle.encrypt({ name: 'AES-GCM', iv: gone, get tagLength() { gone.buffer.transfer(); return 128; } }, key, plain());
results.push(await detached.then(() => 'encrypted', (error) => (error.name === 'OperationError' ? 'empty' : error.name)));
results.push(await outcome(subtle.encrypt({ name: 'AES-GCM', iv, tagLength: { valueOf() { throw new RangeError('no'); } } }, key, plain())));

raw.fill(2);
key.algorithm.name = 'HMAC';
key.usages.length = 0;
Array.prototype[Symbol.iterator] = () => { throw new Error('a program\'s own'); };
Object.defineProperty(Object.prototype, 'hash', { get() { throw new Error('a program\'s own'); }, configurable: true });
Uint8Array.prototype.slice = () => { throw new Error('a program\'s own'); };
results.push(`${await outcome(subtle.encrypt({ name: 'AES-GCM', iv }, key, plain()))} key`);
delete Object.prototype.hash;

results.push(await outcome(subtle.encrypt({ name: 'AES-GCM', iv }, { __proto__: CryptoKey.prototype, type: 'secret' }, plain())));
results.push(await outcome(subtle.encrypt({ name: 'AES-GCM', iv }, new Proxy(key, {}), plain())));
results.push(await subtle.sign('HMAC', key, plain()).catch((error) => error.name));
results;
