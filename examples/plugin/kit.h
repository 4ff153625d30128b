// A guest of duplex-rpc in plain C, for WASI and for Linux: frames, the six messages, and enough
// MessagePack to read a call. One header to begin with; it trusts its host.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  const uint8_t* data;
  size_t size;
} Slice;

typedef struct {
  int type;
  Slice id;      // text
  Slice name;    // text of functionName
  Slice params;  // MessagePack; may be empty
  Slice result;  // MessagePack
  Slice chunk;   // MessagePack
  bool expects_response;
} Incoming;

// --- Bytes ---------------------------------------------------------------------------------------

typedef struct {
  uint8_t* data;
  size_t size;
  size_t room;
} Buffer;

static inline void put(Buffer* buffer, const void* data, size_t size) {
  if (buffer->size + size > buffer->room) {
    buffer->room = 2 * (buffer->size + size);
    buffer->data = realloc(buffer->data, buffer->room);
    if (buffer->data == NULL) abort();
  }
  memcpy(buffer->data + buffer->size, data, size);
  buffer->size += size;
}

static inline void put_byte(Buffer* buffer, int byte) {
  uint8_t one = (uint8_t)byte;
  put(buffer, &one, 1);
}

static inline void put_big_endian(Buffer* buffer, uint32_t number) {
  uint8_t bytes[4] = {(uint8_t)(number >> 24), (uint8_t)(number >> 16), (uint8_t)(number >> 8),
                      (uint8_t)number};
  put(buffer, bytes, 4);
}

static inline void put_text(Buffer* buffer, Slice text) {
  if (text.size < 32) {
    put_byte(buffer, (int)(0xa0 | text.size));
  } else {
    put_byte(buffer, 0xdb);
    put_big_endian(buffer, (uint32_t)text.size);
  }
  put(buffer, text.data, text.size);
}

static inline Slice text(const char* string) {
  return (Slice){(const uint8_t*)string, strlen(string)};
}

static inline void put_integer(Buffer* buffer, int64_t number) {
  if (number >= 0 && number < 128) {
    put_byte(buffer, (int)number);
    return;
  }
  put_byte(buffer, 0xd3);
  put_big_endian(buffer, (uint32_t)((uint64_t)number >> 32));
  put_big_endian(buffer, (uint32_t)number);
}

static inline bool is_text(Slice slice, const char* string) {
  return slice.size == strlen(string) && memcmp(slice.data, string, slice.size) == 0;
}

static inline void write_whole(const void* data, size_t size) {
  const uint8_t* at = data;
  while (size > 0) {
    ssize_t written = write(1, at, size);
    if (written <= 0) exit(9);
    at += written;
    size -= (size_t)written;
  }
}

// --- Frames out ----------------------------------------------------------------------------------

static Buffer out_frame;
static Buffer held_frames;  // while `holds_frames`, for frames that go out as one write
static bool holds_frames;

static inline Buffer* begin(int type, int fields, Slice id) {
  out_frame.size = 0;
  put(&out_frame, "\1\0\0\0\0", 5);
  put_byte(&out_frame, 0x80 | (fields + 2));
  put_text(&out_frame, text("type"));
  put_byte(&out_frame, type);
  put_text(&out_frame, text("id"));
  put_text(&out_frame, id);
  return &out_frame;
}

static inline void finish(void) {
  uint32_t size = (uint32_t)(out_frame.size - 5);
  for (int i = 0; i < 4; ++i) out_frame.data[1 + i] = (uint8_t)(size >> (24 - 8 * i));
  if (holds_frames) {
    put(&held_frames, out_frame.data, out_frame.size);
  } else {
    write_whole(out_frame.data, out_frame.size);
  }
}

static inline void release_frames(void) {
  write_whole(held_frames.data, held_frames.size);
  held_frames.size = 0;
  holds_frames = false;
}

static inline void send_raw(int type, Slice id, const char* key, Slice value) {
  Buffer* frame = begin(type, value.size > 0 ? 1 : 0, id);
  if (value.size > 0) {
    put_text(frame, text(key));
    put(frame, value.data, value.size);
  }
  finish();
}

static inline void send_integer(int type, Slice id, const char* key, int64_t number) {
  Buffer* frame = begin(type, 1, id);
  put_text(frame, text(key));
  put_integer(frame, number);
  finish();
}

static inline void send_text(int type, Slice id, const char* key, const char* value) {
  Buffer* frame = begin(type, 1, id);
  put_text(frame, text(key));
  put_text(frame, text(value));
  finish();
}

static inline void send_call(Slice id, Slice name, Slice params, bool expects_response) {
  Buffer* frame = begin(0, 1 + (params.size > 0) + !expects_response, id);
  put_text(frame, text("functionName"));
  put_text(frame, name);
  if (params.size > 0) {
    put_text(frame, text("params"));
    put(frame, params.data, params.size);
  }
  if (!expects_response) {
    put_text(frame, text("expectsResponse"));
    put_byte(frame, 0xc2);
  }
  finish();
}

// --- MessagePack in ------------------------------------------------------------------------------

typedef struct {
  const uint8_t* at;
} Cursor;

static inline uint32_t take_number(Cursor* cursor, int bytes) {
  uint32_t number = 0;
  while (bytes-- > 0) number = number << 8 | *cursor->at++;
  return number;
}

static inline void skip(Cursor* cursor);

static inline void skip_many(Cursor* cursor, uint32_t count) {
  while (count-- > 0) skip(cursor);
}

static inline void skip(Cursor* cursor) {
  uint8_t first = *cursor->at++;
  if (first < 0x80 || first >= 0xe0 || (first >= 0xc0 && first <= 0xc3)) return;
  if (first < 0x90) {
    skip_many(cursor, 2u * (first & 15u));
  } else if (first < 0xa0) {
    skip_many(cursor, first & 15u);
  } else if (first < 0xc0) {
    cursor->at += first & 31u;
  } else if (first <= 0xc6) {
    uint32_t size = take_number(cursor, 1 << (first - 0xc4));
    cursor->at += size;
  } else if (first == 0xca) {
    cursor->at += 4;
  } else if (first == 0xcb) {
    cursor->at += 8;
  } else if (first >= 0xcc && first <= 0xcf) {
    cursor->at += 1 << (first - 0xcc);
  } else if (first >= 0xd0 && first <= 0xd3) {
    cursor->at += 1 << (first - 0xd0);
  } else if (first >= 0xd9 && first <= 0xdb) {
    uint32_t size = take_number(cursor, 1 << (first - 0xd9));
    cursor->at += size;
  } else if (first == 0xdc || first == 0xdd) {
    skip_many(cursor, take_number(cursor, first == 0xdc ? 2 : 4));
  } else {
    skip_many(cursor, 2 * take_number(cursor, first == 0xde ? 2 : 4));
  }
}

static inline Slice take_text(Cursor* cursor) {
  uint8_t first = *cursor->at++;
  uint32_t size = first < 0xc0 ? first & 31u : take_number(cursor, 1 << (first - 0xd9));
  Slice found = {cursor->at, size};
  cursor->at += size;
  return found;
}

static inline Slice take_value(Cursor* cursor) {
  const uint8_t* start = cursor->at;
  skip(cursor);
  return (Slice){start, (size_t)(cursor->at - start)};
}

static inline uint32_t take_count(Cursor* cursor) {
  uint8_t first = *cursor->at++;
  if (first < 0xa0) return first & 15u;
  return take_number(cursor, first == 0xdc || first == 0xde ? 2 : 4);
}

static inline int64_t integer_of(Slice value) {
  Cursor cursor = {value.data};
  uint8_t first = *cursor.at++;
  if (first < 0x80) return first;
  if (first >= 0xe0) return (int8_t)first;
  if (first == 0xcf || first == 0xd3) {
    uint64_t high = take_number(&cursor, 4);
    return (int64_t)(high << 32 | take_number(&cursor, 4));
  }
  if (first >= 0xcc && first <= 0xce) return take_number(&cursor, 1 << (first - 0xcc));
  if (first == 0xd0) return (int8_t)take_number(&cursor, 1);
  if (first == 0xd1) return (int16_t)take_number(&cursor, 2);
  if (first == 0xd2) return (int32_t)take_number(&cursor, 4);
  return 0;
}

// A member of a map, or an element of an array by its number; empty if there is none.
static inline Slice member(Slice map, const char* key) {
  if (map.size == 0 || (map.data[0] & 0xf0) != 0x80) return (Slice){NULL, 0};
  Cursor cursor = {map.data};
  for (uint32_t left = take_count(&cursor); left > 0; --left) {
    Slice name = take_text(&cursor);
    Slice value = take_value(&cursor);
    if (is_text(name, key)) return value;
  }
  return (Slice){NULL, 0};
}

static inline Slice element(Slice array, uint32_t index) {
  if (array.size == 0 || (array.data[0] & 0xf0) != 0x90) return (Slice){NULL, 0};
  Cursor cursor = {array.data};
  uint32_t count = take_count(&cursor);
  for (uint32_t i = 0; i < count; ++i) {
    Slice value = take_value(&cursor);
    if (i == index) return value;
  }
  return (Slice){NULL, 0};
}

static inline Slice text_of(Slice value) {
  Cursor cursor = {value.data};
  return value.size == 0 ? value : take_text(&cursor);
}

// --- Frames in -----------------------------------------------------------------------------------

static uint8_t* in_data;
static size_t in_size, in_room, in_used;

static inline bool fill(size_t need) {
  while (in_size - in_used < need) {
    if (in_used > 0) {
      memmove(in_data, in_data + in_used, in_size - in_used);
      in_size -= in_used;
      in_used = 0;
    }
    if (in_room < need || in_room < 65536) {
      in_room = 2 * need > 65536 ? 2 * need : 65536;
      in_data = realloc(in_data, in_room);
      if (in_data == NULL) abort();
    }
    ssize_t got = read(0, in_data + in_size, in_room - in_size);
    if (got <= 0) return false;
    in_size += (size_t)got;
  }
  return true;
}

// The next message, which lives until the one after it. False at the end of the input.
static inline bool receive(Incoming* message) {
  if (!fill(5)) return false;
  Cursor head = {in_data + in_used + 1};
  size_t size = take_number(&head, 4);
  if (!fill(5 + size)) return false;
  Cursor cursor = {in_data + in_used + 5};
  in_used += 5 + size;
  *message = (Incoming){.expects_response = true};
  for (uint32_t left = take_count(&cursor); left > 0; --left) {
    Slice key = take_text(&cursor);
    Slice value = take_value(&cursor);
    if (is_text(key, "type")) message->type = (int)integer_of(value);
    if (is_text(key, "id")) message->id = text_of(value);
    if (is_text(key, "functionName")) message->name = text_of(value);
    if (is_text(key, "params")) message->params = value;
    if (is_text(key, "result")) message->result = value;
    if (is_text(key, "chunk")) message->chunk = value;
    if (is_text(key, "expectsResponse")) message->expects_response = value.data[0] == 0xc3;
  }
  return true;
}
