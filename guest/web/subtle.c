// What crypto.subtle computes: digests, HMAC (RFC 2104), PBKDF2 (RFC 8018), HKDF (RFC 5869) and
// AES-GCM. lazy/subtle.js says when, and has checked what comes here; its bytes are copies that the
// program does not see.

#include "aes.h"
#include "digest.h"
#include "web.h"

static GcmBytes bytes_of(JSValueConst value) {
  uint8_t* bytes;
  uint32_t size;
  if (!engine_bytes(value, &bytes, &size)) return (GcmBytes){NULL, 0};
  return (GcmBytes){bytes, size};
}

static uint32_t number_of(JSContext* ctx, JSValueConst value) {
  uint32_t number = 0;
  JS_ToUint32(ctx, &number, value);
  return number;
}

static uint8_t* room(uint32_t size) {
  uint8_t* bytes = malloc(size + 1);
  if (!bytes) __builtin_trap();
  return bytes;
}

static JSValue new_buffer(JSContext* ctx, uint8_t* bytes, uint32_t size) {
  JSValue buffer = JS_NewArrayBufferCopy(ctx, bytes, size);
  free(bytes);
  return buffer;
}

// digest(which, bytes)
static JSValue digest(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc;
  Hash hash;
  hash_begin(&hash, (enum HashName)JS_VALUE_GET_INT(argv[0]));
  GcmBytes data = bytes_of(argv[1]);
  hash_add(&hash, data.bytes, data.size);
  uint8_t out[MAX_HASH_SIZE];
  hash_end(&hash, out);
  return JS_NewArrayBufferCopy(ctx, out, hash_size(hash.which));
}

// The two hashes of an HMAC after the key, to go on from.
typedef struct {
  Hash inner, outer;
} Hmac;

static void hmac_begin(Hmac* hmac, enum HashName which, GcmBytes key) {
  uint8_t block[MAX_HASH_BLOCK] = {0};
  const uint32_t size = hash_block_size(which);
  hash_begin(&hmac->inner, which);
  hash_begin(&hmac->outer, which);
  if (key.size > size) {
    Hash hash;
    hash_begin(&hash, which);
    hash_add(&hash, key.bytes, key.size);
    hash_end(&hash, block);
  } else if (key.size > 0) {
    memcpy(block, key.bytes, key.size);
  }
  for (uint32_t i = 0; i < size; ++i) block[i] ^= 0x36;
  hash_add(&hmac->inner, block, size);
  for (uint32_t i = 0; i < size; ++i) block[i] ^= 0x36 ^ 0x5C;
  hash_add(&hmac->outer, block, size);
}

static void hmac_end(Hmac* hmac, uint8_t* out) {
  hash_end(&hmac->inner, out);
  hash_add(&hmac->outer, out, hash_size(hmac->inner.which));
  hash_end(&hmac->outer, out);
}

// hmac(which, key, bytes)
static JSValue hmac(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc;
  Hmac state;
  hmac_begin(&state, (enum HashName)JS_VALUE_GET_INT(argv[0]), bytes_of(argv[1]));
  GcmBytes data = bytes_of(argv[2]);
  hash_add(&state.inner, data.bytes, data.size);
  uint8_t out[MAX_HASH_SIZE];
  hmac_end(&state, out);
  return JS_NewArrayBufferCopy(ctx, out, hash_size(state.inner.which));
}

// equal(bytes, bytes): in a time that does not depend on where they differ.
static JSValue equal(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc;
  GcmBytes a = bytes_of(argv[0]), b = bytes_of(argv[1]);
  if (a.size != b.size) return JS_FALSE;
  volatile uint8_t difference = 0;
  for (uint32_t i = 0; i < a.size; ++i) difference |= a.bytes[i] ^ b.bytes[i];
  return JS_NewBool(ctx, difference == 0);
}

// pbkdf2(which, password, salt, iterations, size)
static JSValue pbkdf2(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc;
  const enum HashName which = (enum HashName)JS_VALUE_GET_INT(argv[0]);
  Hmac start;
  hmac_begin(&start, which, bytes_of(argv[1]));
  GcmBytes salt = bytes_of(argv[2]);
  const uint32_t iterations = number_of(ctx, argv[3]), size = number_of(ctx, argv[4]);
  const uint32_t part = hash_size(which);
  uint8_t* out = room(size);
  for (uint32_t at = 0, block = 1; at < size; at += part, ++block) {
    uint8_t sum[MAX_HASH_SIZE], last[MAX_HASH_SIZE];
    uint8_t number[] = {(uint8_t)(block >> 24), (uint8_t)(block >> 16), (uint8_t)(block >> 8),
                        (uint8_t)block};
    Hmac state = start;
    hash_add(&state.inner, salt.bytes, salt.size);
    hash_add(&state.inner, number, sizeof number);
    hmac_end(&state, last);
    memcpy(sum, last, part);
    for (uint32_t i = 1; i < iterations; ++i) {
      state = start;
      hash_add(&state.inner, last, part);
      hmac_end(&state, last);
      for (uint32_t k = 0; k < part; ++k) sum[k] ^= last[k];
    }
    memcpy(out + at, sum, size - at < part ? size - at : part);
  }
  return new_buffer(ctx, out, size);
}

// hkdf(which, key, salt, info, size): at most 255 hashes.
static JSValue hkdf(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc;
  const enum HashName which = (enum HashName)JS_VALUE_GET_INT(argv[0]);
  const uint32_t part = hash_size(which);
  GcmBytes key = bytes_of(argv[1]), info = bytes_of(argv[3]);
  uint8_t last[MAX_HASH_SIZE];
  Hmac start;
  hmac_begin(&start, which, bytes_of(argv[2]));
  hash_add(&start.inner, key.bytes, key.size);
  hmac_end(&start, last);
  hmac_begin(&start, which, (GcmBytes){last, part});
  const uint32_t size = number_of(ctx, argv[4]);
  uint8_t* out = room(size);
  uint8_t block = 1;
  for (uint32_t at = 0; at < size; at += part, ++block) {
    Hmac state = start;
    if (block > 1) hash_add(&state.inner, last, part);
    hash_add(&state.inner, info.bytes, info.size);
    hash_add(&state.inner, &block, 1);
    hmac_end(&state, last);
    memcpy(out + at, last, size - at < part ? size - at : part);
  }
  return new_buffer(ctx, out, size);
}

// seal(key, iv, additional data, data, size of the tag): what is encrypted, and the tag.
static JSValue seal(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc;
  GcmBytes data = bytes_of(argv[3]);
  const uint32_t tag_size = number_of(ctx, argv[4]);
  uint8_t* out = room(data.size + GCM_TAG_SIZE);
  gcm_crypt(bytes_of(argv[0]), bytes_of(argv[1]), bytes_of(argv[2]), data, true, out,
            out + data.size);
  return new_buffer(ctx, out, data.size + tag_size);
}

// open(key, iv, additional data, data and tag, size of the tag): undefined if the tag is another.
static JSValue open_sealed(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc;
  GcmBytes data = bytes_of(argv[3]);
  const uint32_t tag_size = number_of(ctx, argv[4]);
  data.size -= tag_size;
  uint8_t tag[GCM_TAG_SIZE];
  uint8_t* out = room(data.size);
  gcm_crypt(bytes_of(argv[0]), bytes_of(argv[1]), bytes_of(argv[2]), data, false, out, tag);
  volatile uint8_t difference = 0;
  for (uint32_t i = 0; i < tag_size; ++i) difference |= tag[i] ^ data.bytes[data.size + i];
  if (difference != 0) {
    free(out);
    return JS_UNDEFINED;
  }
  return new_buffer(ctx, out, data.size);
}

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

// toBase64url(bytes)
static JSValue to_base64url(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc;
  GcmBytes data = bytes_of(argv[0]);
  Buffer text = {0};
  for (uint32_t at = 0; at < data.size; at += 3) {
    uint32_t left = data.size - at < 3 ? data.size - at : 3;
    uint32_t bits = (uint32_t)data.bytes[at] << 16 | (left > 1 ? data.bytes[at + 1] << 8 : 0) |
                    (left > 2 ? data.bytes[at + 2] : 0);
    for (uint32_t i = 0; i <= left; ++i) put_u8(&text, (uint8_t)digits[bits >> (18 - 6 * i) & 63]);
  }
  JSValue string = JS_NewStringLen(ctx, (const char*)text.data, text.size);
  free(text.data);
  return string;
}

// fromBase64url(string): undefined if it is something else.
static JSValue from_base64url(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc;
  EngineText text;
  if (!engine_text(ctx, argv[0], &text)) return JS_EXCEPTION;
  Buffer bytes = {0};
  bool good = text.narrow && text.length % 4 != 1;
  uint32_t bits = 0, held = 0;
  for (uint32_t i = 0; good && i < text.length; ++i) {
    const char* digit = text.narrow[i] ? strchr(digits, text.narrow[i]) : NULL;
    good = digit != NULL;
    bits = bits << 6 | (uint32_t)(good ? digit - digits : 0);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    put_u8(&bytes, (uint8_t)(bits >> held));
  }
  engine_text_free(ctx, &text);
  JSValue array = good ? JS_NewUint8ArrayCopy(ctx, bytes.data, bytes.size) : JS_UNDEFINED;
  free(bytes.data);
  return array;
}

static const uint8_t bytecode[] = {
#include "lazy_subtle.inc"
};

// lazySubtle(tools): what lazy/subtle.js makes of them. Few programs want it, so it is bytecode
// that nobody reads until one does.
static JSValue lazy_subtle(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc;
  JSValue natives = JS_NewObject(ctx);
  web_add_native(ctx, natives, "digest", digest, 2);
  web_add_native(ctx, natives, "hmac", hmac, 3);
  web_add_native(ctx, natives, "equal", equal, 2);
  web_add_native(ctx, natives, "pbkdf2", pbkdf2, 5);
  web_add_native(ctx, natives, "hkdf", hkdf, 5);
  web_add_native(ctx, natives, "seal", seal, 5);
  web_add_native(ctx, natives, "open", open_sealed, 5);
  web_add_native(ctx, natives, "toBase64url", to_base64url, 1);
  web_add_native(ctx, natives, "fromBase64url", from_base64url, 1);
  JSValue code = JS_ReadObject(ctx, bytecode, sizeof bytecode, JS_READ_OBJ_BYTECODE);
  JSValue make = JS_IsException(code) ? JS_EXCEPTION : JS_EvalFunction(ctx, code);
  JSValueConst arguments[] = {argv[0], natives};
  JSValue made =
      JS_IsException(make) ? JS_EXCEPTION : JS_Call(ctx, make, JS_UNDEFINED, 2, arguments);
  JS_FreeValue(ctx, make);
  JS_FreeValue(ctx, natives);
  return made;
}

void subtle_natives(JSContext* ctx, JSValueConst natives) {
  web_add_native(ctx, natives, "lazySubtle", lazy_subtle, 1);
}
