// crypto.
const print = (...values) => console.log(values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' '));
const thrown = (action) => { try { action(); return 'nothing'; } catch (error) { return error.name; } };
const rejected = async (promise) => { try { await promise; return 'nothing'; } catch (error) { return error.name; } };
const hex = (buffer) => [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, '0')).join('');

const text = new TextEncoder();
for (const name of ['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512']) {
  print(name, hex(await crypto.subtle.digest(name, new Uint8Array(0))));
  print(name, hex(await crypto.subtle.digest({ name: name.toLowerCase() }, text.encode('abc'))));
  // Around the ends of blocks.
  let all = '';
  for (const size of [1, 54, 55, 56, 57, 63, 64, 65, 111, 112, 113, 119, 120, 127, 128, 129, 1000]) {
    all += hex(await crypto.subtle.digest(name, new Uint8Array(size).map((_, i) => (i * 7 + size) & 255)));
  }
  print(name, hex(await crypto.subtle.digest('SHA-256', text.encode(all))));
}
const part = new Uint8Array([0, 97, 98, 99, 0]);
print(hex(await crypto.subtle.digest('SHA-256', part.subarray(1, 4))), hex(await crypto.subtle.digest('sha-256', new DataView(part.buffer, 1, 3))));
print(await rejected(crypto.subtle.digest('MD5', part)), await rejected(crypto.subtle.digest('SHA-256', 'text')), await rejected(crypto.subtle.digest('SHA-256')));
print((await crypto.subtle.digest('SHA-1', part)) instanceof ArrayBuffer);

const ids = new Set(Array.from({ length: 1000 }, () => crypto.randomUUID()));
print(ids.size, [...ids].every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)));
const values = new Uint32Array(8);
print(crypto.getRandomValues(values) === values, new Set(values).size > 1);
const spread = crypto.getRandomValues(new Uint8Array(65536));
const counts = new Array(256).fill(0);
for (const byte of spread) counts[byte]++;
print(Math.min(...counts) > 150, Math.max(...counts) < 370);
print(crypto.getRandomValues(new BigUint64Array(2)).length, crypto.getRandomValues(new Uint8Array(0)).length);
print(thrown(() => crypto.getRandomValues(new Float32Array(1))), thrown(() => crypto.getRandomValues([])), thrown(() => crypto.getRandomValues(new Uint8Array(65537))));
const part2 = new Uint8Array(100);
crypto.getRandomValues(part2.subarray(10, 90));
print(part2.subarray(0, 10).every((x) => x === 0), part2.subarray(90).every((x) => x === 0), part2.some((x) => x > 0));
print(Object.prototype.toString.call(crypto), Object.prototype.toString.call(crypto.subtle), thrown(() => new Crypto()), thrown(() => new SubtleCrypto()));
