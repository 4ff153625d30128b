// Iterations of PBKDF2 that take hours, in one call.
// expect: code=timeout
// timeout: 200
const key = await crypto.subtle.importKey('raw', new Uint8Array(8), 'PBKDF2', false, ['deriveBits']);
await crypto.subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-512', salt: new Uint8Array(8), iterations: 4294967295 }, key, 4096);
