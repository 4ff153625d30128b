// A buffer for bytes that go out, and a cursor over bytes that came in.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"

typedef struct {
  uint8_t* data;
  uint32_t size;
  uint32_t capacity;
} Buffer;

// Makes room for `more` bytes and returns where they go. It does not fail: an execution whose
// memory cannot grow has ended by then.
uint8_t* buffer_room(Buffer* buffer, uint32_t more);
void buffer_clear(Buffer* buffer);

static inline void put_bytes(Buffer* buffer, const void* bytes, uint32_t size) {
  memcpy(buffer_room(buffer, size), bytes, size);
  buffer->size += size;
}
static inline void put_u8(Buffer* buffer, uint8_t value) { put_bytes(buffer, &value, 1); }
static inline void put_u32(Buffer* buffer, uint32_t value) { put_bytes(buffer, &value, 4); }
static inline void put_u64(Buffer* buffer, uint64_t value) { put_bytes(buffer, &value, 8); }
static inline void put_f64(Buffer* buffer, double value) { put_bytes(buffer, &value, 8); }
static inline void set_u32(Buffer* buffer, uint32_t at, uint32_t value) {
  memcpy(buffer->data + at, &value, 4);
}

// The characters of a JavaScript string as WTF-8, without and with the length before them, cut
// after `most` UTF-16 units. False if there is no memory; an exception is then pending.
bool put_characters(Buffer* buffer, JSContext* ctx, JSValueConst string, uint32_t most);
bool put_text(Buffer* buffer, JSContext* ctx, JSValueConst string, uint32_t most);

// The host wrote the message, so the guest does not check it: a wrong one harms the guest alone.
typedef struct {
  const uint8_t* at;
} Cursor;

static inline uint8_t take_u8(Cursor* cursor) { return *cursor->at++; }
static inline uint32_t take_u32(Cursor* cursor) {
  uint32_t value;
  memcpy(&value, cursor->at, 4);
  cursor->at += 4;
  return value;
}
static inline uint64_t take_u64(Cursor* cursor) {
  uint64_t value;
  memcpy(&value, cursor->at, 8);
  cursor->at += 8;
  return value;
}
static inline double take_f64(Cursor* cursor) {
  double value;
  memcpy(&value, cursor->at, 8);
  cursor->at += 8;
  return value;
}
static inline const char* take_string(Cursor* cursor, uint32_t* size) {
  *size = take_u32(cursor);
  const char* text = (const char*)cursor->at;
  cursor->at += *size;
  return text;
}
// The same, followed by a NUL that the length does not count, as the engine's parser wants it.
static inline const char* take_zero_string(Cursor* cursor, uint32_t* size) {
  const char* text = take_string(cursor, size);
  ++cursor->at;
  return text;
}
JSValue take_text(Cursor* cursor, JSContext* ctx);
