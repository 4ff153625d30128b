#include "buffer.h"

enum { KEPT_CAPACITY = 64 * 1024 };

uint8_t* buffer_room(Buffer* buffer, uint32_t more) {
  uint64_t needed = (uint64_t)buffer->size + more;
  if (needed > buffer->capacity) {
    uint64_t capacity = buffer->capacity < 1024 * 1024
                            ? buffer->capacity * 2 + 256
                            : (uint64_t)buffer->capacity + buffer->capacity / 4;
    if (capacity < needed) capacity = needed;
    if (capacity > UINT32_MAX) __builtin_trap();  // more than a memory can hold
    buffer->data = realloc(buffer->data, (uint32_t)capacity);
    if (!buffer->data) __builtin_trap();
    buffer->capacity = (uint32_t)capacity;
  }
  return buffer->data + buffer->size;
}

void buffer_clear(Buffer* buffer) {
  buffer->size = 0;
  if (buffer->capacity > KEPT_CAPACITY) {
    free(buffer->data);
    *buffer = (Buffer){0};
  }
}

// Latin-1: one byte below 0x80, else two.
static void put_narrow(Buffer* buffer, const uint8_t* from, uint32_t length) {
  const uint8_t* end = from + length;
  while (from < end) {
    const uint8_t* plain = from;
    while (plain + 8 <= end) {
      uint64_t eight;
      memcpy(&eight, plain, 8);
      if (eight & 0x8080808080808080u) break;
      plain += 8;
    }
    while (plain < end && *plain < 0x80) ++plain;
    put_bytes(buffer, from, (uint32_t)(plain - from));
    for (from = plain; from < end && *from >= 0x80; ++from) {
      uint8_t pair[2] = {(uint8_t)(0xC0 | *from >> 6), (uint8_t)(0x80 | (*from & 0x3F))};
      put_bytes(buffer, pair, 2);
    }
  }
}

// UTF-16: a surrogate pair makes four bytes, a lone surrogate three like any other unit.
static void put_wide(Buffer* buffer, const uint16_t* from, uint32_t length) {
  const uint16_t* end = from + length;
  while (from < end) {
    uint32_t block = (uint32_t)(end - from) < 1024 ? (uint32_t)(end - from) : 1024;
    uint8_t* to = buffer_room(buffer, block * 3 + 4);
    uint8_t* start = to;
    for (const uint16_t* stop = from + block; from < stop;) {
      uint32_t c = *from++;
      if (c < 0x80) {
        *to++ = (uint8_t)c;
        continue;
      }
      if (c < 0x800) {
        *to++ = (uint8_t)(0xC0 | c >> 6);
      } else {
        if (c >> 10 == 0x36 && from < end && *from >> 10 == 0x37) {
          c = 0x10000 + ((c & 0x3FF) << 10) + (*from++ & 0x3FF);
          *to++ = (uint8_t)(0xF0 | c >> 18);
          *to++ = (uint8_t)(0x80 | (c >> 12 & 0x3F));
        } else {
          *to++ = (uint8_t)(0xE0 | c >> 12);
        }
        *to++ = (uint8_t)(0x80 | (c >> 6 & 0x3F));
      }
      *to++ = (uint8_t)(0x80 | (c & 0x3F));
    }
    buffer->size += (uint32_t)(to - start);
  }
}

bool put_characters(Buffer* buffer, JSContext* ctx, JSValueConst string, uint32_t most) {
  EngineText text;
  if (!engine_text(ctx, string, &text)) return false;
  uint32_t length = text.length < most ? text.length : most;
  if (text.narrow)
    put_narrow(buffer, text.narrow, length);
  else
    put_wide(buffer, text.wide, length);
  engine_text_free(ctx, &text);
  return true;
}

bool put_text(Buffer* buffer, JSContext* ctx, JSValueConst string, uint32_t most) {
  uint32_t at = buffer->size;
  put_u32(buffer, 0);
  if (!put_characters(buffer, ctx, string, most)) return false;
  set_u32(buffer, at, buffer->size - at - 4);
  return true;
}

JSValue take_text(Cursor* cursor, JSContext* ctx) {
  uint32_t size;
  const char* text = take_string(cursor, &size);
  return JS_NewStringLen(ctx, text, size);
}
