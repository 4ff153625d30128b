// Text and UTF-8: what TextEncoder, TextDecoder and Blob are made of. By the Encoding Standard each
// maximal part of a sequence that could have become one is one U+FFFD. (decoders.c has the other
// encodings.)

#include "web.h"

bool put_scalars(Buffer* buffer, JSContext* ctx, JSValueConst string) {
  uint32_t start = buffer->size;
  if (!put_characters(buffer, ctx, string, UINT32_MAX)) return false;
  // A lone surrogate is three bytes there, and so is U+FFFD.
  uint8_t* end = buffer->data + buffer->size;
  for (uint8_t* at = buffer->data + start; (at = memchr(at, 0xED, (size_t)(end - at)));) {
    if (end - at < 3) break;
    if (at[1] >= 0xA0) memcpy(at, "\xEF\xBF\xBD", 3);
    at += 3;
  }
  return true;
}

static JSValue encode(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc;
  Buffer bytes = {0};
  if (!put_scalars(&bytes, ctx, argv[0])) return JS_EXCEPTION;
  JSValue array = JS_NewUint8ArrayCopy(ctx, bytes.data, bytes.size);
  free(bytes.data);
  return array;
}

// encodeInto(string, bytes): the units read; how much was written is the next one's answer.
static uint32_t written;

static JSValue encode_into(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc;
  if (engine_is_immutable(argv[1])) return JS_ThrowTypeError(ctx, "ArrayBuffer is immutable");
  EngineText text;
  if (!engine_text(ctx, argv[0], &text)) return JS_EXCEPTION;
  uint8_t* to;
  uint32_t room;
  if (!engine_bytes(argv[1], &to, &room)) room = 0;
  uint32_t at = 0, read = 0;
  while (read < text.length) {
    uint32_t c = text.narrow ? text.narrow[read] : text.wide[read];
    uint32_t units = 1;
    if (c >> 11 == 0x1B) {
      bool pair = c < 0xDC00 && read + 1 < text.length && text.wide[read + 1] >> 10 == 0x37;
      c = pair ? 0x10000 + ((c & 0x3FF) << 10) + (text.wide[read + 1] & 0x3FF) : 0xFFFD;
      units = pair ? 2 : 1;
    }
    uint32_t size = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    if (size > room - at) break;
    if (size == 1) {
      to[at] = (uint8_t)c;
    } else {
      static const uint8_t leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
      for (uint32_t i = size - 1; i > 0; --i, c >>= 6) to[at + i] = (uint8_t)(0x80 | (c & 0x3F));
      to[at] = (uint8_t)(leads[size] | c);
    }
    at += size;
    read += units;
  }
  engine_text_free(ctx, &text);
  written = at;
  return JS_NewUint32(ctx, read);
}

static JSValue last_written(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc, (void)argv;
  return JS_NewUint32(ctx, written);
}

// The size of the sequence at `from`. `*good` says whether it is a character; if not, this many
// bytes are one error. 0 means that the text ends before it is decided.
static uint32_t sequence(const uint8_t* from, const uint8_t* end, bool* good) {
  *good = false;
  uint8_t lead = *from;
  uint32_t size;
  uint8_t low = 0x80, high = 0xBF;
  if (lead < 0x80) {
    size = 1;
  } else if (lead >= 0xC2 && lead <= 0xDF) {
    size = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    size = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    size = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return 1;
  }
  for (uint32_t i = 1; i < size; ++i, low = 0x80, high = 0xBF) {
    if (from + i == end) return 0;
    if (from[i] < low || from[i] > high) return i;
  }
  *good = true;
  return size;
}

static uint32_t ascii_prefix(const uint8_t* from, const uint8_t* end) {
  const uint8_t* at = from;
  for (; at + 8 <= end; at += 8) {
    uint64_t eight;
    memcpy(&eight, at, 8);
    if (eight & 0x8080808080808080u) break;
  }
  while (at < end && *at < 0x80) ++at;
  return (uint32_t)(at - from);
}

JSValue decode_utf8(JSContext* ctx, const uint8_t* bytes, uint32_t size, bool fatal,
                    uint32_t* unfinished) {
  const uint8_t* end = bytes + size;
  const uint8_t* copied = bytes;  // all before it is in `fixed`
  Buffer fixed = {0};
  for (const uint8_t* at = bytes; at < end;) {
    at += ascii_prefix(at, end);
    if (at == end) break;
    bool good;
    uint32_t length = sequence(at, end, &good);
    if (length == 0 && unfinished) {
      *unfinished = (uint32_t)(end - at);
      end = at;
      break;
    }
    if (length == 0) length = (uint32_t)(end - at);
    if (!good) {
      if (fatal) {
        free(fixed.data);
        return decode_failed(ctx);
      }
      put_bytes(&fixed, copied, (uint32_t)(at - copied));
      put_bytes(&fixed, "\xEF\xBF\xBD", 3);
      copied = at + length;
    }
    at += length;
  }
  if (copied == bytes) return JS_NewStringLen(ctx, (const char*)bytes, (size_t)(end - bytes));
  put_bytes(&fixed, copied, (uint32_t)(end - copied));
  JSValue text = JS_NewStringLen(ctx, (const char*)fixed.data, fixed.size);
  free(fixed.data);
  return text;
}

JSValue decoded_utf8(JSContext* ctx, const uint8_t* bytes, uint32_t size) {
  return decode_utf8(ctx, bytes, size, false, NULL);
}

JSValue decode_failed(JSContext* ctx) {
  return JS_ThrowTypeError(ctx, "The encoded data was not valid");
}

void encoding_natives(JSContext* ctx, JSValueConst natives) {
  web_add_native(ctx, natives, "encode", encode, 1);
  web_add_native(ctx, natives, "encodeInto", encode_into, 2);
  web_add_native(ctx, natives, "written", last_written, 0);
}
