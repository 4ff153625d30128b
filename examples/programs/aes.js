// Encrypt and decrypt with AES-GCM, with a key that is derived from a password's digest.
const encoder = new TextEncoder();
const toHex = (buffer) => [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, '0')).join('');

async function keyFrom(password) {
  const digest = await crypto.subtle.digest('SHA-256', encoder.encode(password));
  return crypto.subtle.importKey('raw', digest, 'AES-GCM', false, ['encrypt', 'decrypt']);
}

async function encrypt(key, text, iv) {
  return crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData: encoder.encode('v1') }, key, encoder.encode(text));
}

async function decrypt(key, bytes, iv) {
  const plain = await crypto.subtle.decrypt({ name: 'AES-GCM', iv, additionalData: encoder.encode('v1') }, key, bytes);
  return new TextDecoder().decode(plain);
}

// A real program takes crypto.getRandomValues(new Uint8Array(12)); this one prints what it made.
const iv = new Uint8Array(12).map((_, i) => i * 7);
const key = await keyFrom('correct horse battery staple');
const sealed = await encrypt(key, 'Meet me at 12, 世界', iv);
console.log(`${sealed.byteLength} bytes: ${toHex(sealed)}`);

const opened = await decrypt(key, sealed, iv);
const attempts = {};
const flipped = new Uint8Array(sealed.slice(0));
flipped[0] ^= 1;
for (const [name, attempt] of Object.entries({
  'wrong key': async () => decrypt(await keyFrom('guess'), sealed, iv),
  'changed text': () => decrypt(key, flipped, iv),
  'wrong iv': () => decrypt(key, sealed, new Uint8Array(12)),
})) {
  attempts[name] = await attempt().catch((error) => error.name);
}
({ opened, attempts, type: key.type, usages: key.usages, algorithm: key.algorithm.name });
