// Sign and verify a token with HMAC-SHA-256, and digest what it says.
const encoder = new TextEncoder();
const base64Url = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes))).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
const fromBase64Url = (text) => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (char) => char.charCodeAt(0));
const hex = (buffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');

const key = await crypto.subtle.importKey('raw', encoder.encode('a-secret-of-the-example'), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);

async function sign(payload) {
  const head = [{ alg: 'HS256', typ: 'JWT' }, payload].map((part) => base64Url(encoder.encode(JSON.stringify(part)))).join('.');
  const signature = await crypto.subtle.sign('HMAC', key, encoder.encode(head));
  return `${head}.${base64Url(signature)}`;
}

async function verify(token) {
  const [header, payload, signature] = token.split('.');
  const valid = await crypto.subtle.verify('HMAC', key, fromBase64Url(signature), encoder.encode(`${header}.${payload}`));
  if (!valid) throw new Error('bad signature');
  return JSON.parse(new TextDecoder().decode(fromBase64Url(payload)));
}

const token = await sign({ sub: 'ada', admin: true, iat: 1772582400 });
console.log(token);
const payload = await verify(token);

const [head, , tail] = token.split('.');
const forged = [head, base64Url(encoder.encode(JSON.stringify({ ...payload, sub: 'eve' }))), tail].join('.');
const refused = await verify(forged).catch((error) => error.message);

const digests = {};
for (const algorithm of ['SHA-1', 'SHA-256', 'SHA-512']) {
  digests[algorithm] = hex(await crypto.subtle.digest(algorithm, encoder.encode(JSON.stringify(payload)))).slice(0, 20);
}
const uuid = crypto.randomUUID();
({ payload, refused, digests, uuid: /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/.test(uuid), random: crypto.getRandomValues(new Uint8Array(8)).length, extractable: key.extractable });
