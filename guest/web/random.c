// Random bytes: ChaCha20 with a key that the host gives to each execution.

#include "web.h"

static uint32_t key[8];  // the host gives five words of it
static uint64_t blocks_made;

void random_seed(Cursor* message) {
  for (int i = 0; i < 5; ++i) key[i] = take_u32(message);
  blocks_made = 0;
}

static uint32_t rotated(uint32_t value, int by) { return value << by | value >> (32 - by); }

static void mix(uint32_t* s, int a, int b, int c, int d) {
  s[a] += s[b], s[d] = rotated(s[d] ^ s[a], 16);
  s[c] += s[d], s[b] = rotated(s[b] ^ s[c], 12);
  s[a] += s[b], s[d] = rotated(s[d] ^ s[a], 8);
  s[c] += s[d], s[b] = rotated(s[b] ^ s[c], 7);
}

static void next_block(uint8_t out[64]) {
  uint32_t start[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
  memcpy(start + 4, key, sizeof key);
  start[12] = (uint32_t)blocks_made;
  start[13] = (uint32_t)(blocks_made++ >> 32);
  uint32_t s[16];
  memcpy(s, start, sizeof s);
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 4; ++i) mix(s, i, i + 4, i + 8, i + 12);
    for (int i = 0; i < 4; ++i) mix(s, i, (i + 1) % 4 + 4, (i + 2) % 4 + 8, (i + 3) % 4 + 12);
  }
  for (int i = 0; i < 16; ++i) s[i] += start[i];
  memcpy(out, s, 64);
}

static void fill(uint8_t* to, uint32_t size) {
  uint8_t block[64];
  for (uint32_t at = 0; at < size; at += 64) {
    next_block(block);
    memcpy(to + at, block, size - at < 64 ? size - at : 64);
  }
}

// randomFill(bytes)
static JSValue random_fill(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)ctx, (void)self, (void)argc;
  uint8_t* bytes;
  uint32_t size;
  if (engine_is_immutable(argv[0])) return JS_ThrowTypeError(ctx, "ArrayBuffer is immutable");
  if (engine_bytes(argv[0], &bytes, &size)) fill(bytes, size);
  return JS_UNDEFINED;
}

static JSValue random_uuid(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc, (void)argv;
  uint8_t bytes[16];
  fill(bytes, sizeof bytes);
  bytes[6] = (bytes[6] & 0x0F) | 0x40;
  bytes[8] = (bytes[8] & 0x3F) | 0x80;
  char text[36];
  for (int i = 0, at = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text[at++] = '-';
    text[at++] = "0123456789abcdef"[bytes[i] >> 4];
    text[at++] = "0123456789abcdef"[bytes[i] & 15];
  }
  return JS_NewStringLen(ctx, text, sizeof text);
}

void random_natives(JSContext* ctx, JSValueConst natives) {
  web_add_native(ctx, natives, "randomFill", random_fill, 1);
  web_add_native(ctx, natives, "randomUuid", random_uuid, 0);
}
