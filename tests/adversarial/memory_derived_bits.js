// Half a gibibyte of derived bits.
// expect: code=memory_limit
// timeout: 5000
const key = await crypto.subtle.importKey('raw', new Uint8Array(8), 'PBKDF2', false, ['deriveBits']);
await crypto.subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-1', salt: new Uint8Array(8), iterations: 1 }, key, 4294967288);
