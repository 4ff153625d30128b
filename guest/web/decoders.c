// TextDecoder: the decoders of the Encoding Standard. Its labels and indexes would be 190 KB of the
// snapshot, so the host has them (src/cordon/js/encodings.h), and each is asked for when it is
// first needed. The memory that it then takes is the program's.

#include "../host.h"
#include "web.h"

enum { FATAL = 1, STREAM = 2 };

// As tools/encodings/src/main.rs numbers them.
enum Kind {
  UTF_8,
  UTF_16LE,
  UTF_16BE,
  SINGLE_BYTE,
  GB18030,
  BIG5,
  EUC_JP,
  ISO_2022_JP,
  SHIFT_JIS,
  EUC_KR,
  USER_DEFINED,
  REPLACEMENT,
};

// A name, and what decodes it: kind, first and second table, a byte each.
static uint32_t found_encoding;

static bool is_blank(uint8_t byte) {
  return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\f' || byte == '\r';
}

// The label in lower case and without blanks around it. Its size, or 0 if no label is like that.
enum { MAX_LABEL = 32 };
static uint32_t plain_label(const EngineText* text, char* label) {
  if (!text->narrow) return 0;
  const uint8_t *at = text->narrow, *end = at + text->length;
  while (at < end && is_blank(*at)) ++at;
  while (end > at && is_blank(end[-1])) --end;
  if (end - at > MAX_LABEL) return 0;
  uint32_t size = 0;
  for (; at < end; ++at) label[size++] = (char)(*at >= 'A' && *at <= 'Z' ? *at | 0x20 : *at);
  return size;
}

// encodingOf(label): the name of the encoding; undefined if there is none that can be decoded. The
// next one's answer is how it is decoded.
static JSValue encoding_of(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc;
  EngineText text;
  if (!engine_text(ctx, argv[0], &text)) return JS_EXCEPTION;
  char label[MAX_LABEL];
  uint32_t size = plain_label(&text, label);
  engine_text_free(ctx, &text);
  if (size == 5 && memcmp(label, "utf-8", 5) == 0) {
    found_encoding = UTF_8;
    return JS_NewStringLen(ctx, label, size);
  }
  if (size == 0) return JS_UNDEFINED;
  int32_t answer = host_stage(STAGE_ENCODING, label, size, NULL, 0);
  uint32_t answered = (uint32_t)(answer < 0 ? -answer - 1 : answer);
  char* how = malloc(answered + 1);
  if (!how) __builtin_trap();
  host_unstage(how);
  JSValue name = JS_UNDEFINED;
  if (answer > 3 && how[0] != REPLACEMENT) {
    found_encoding = (uint8_t)how[0] | (uint8_t)how[1] << 8 | (uint8_t)how[2] << 16;
    name = JS_NewStringLen(ctx, how + 3, answered - 3);
  }
  free(how);
  return name;
}

static JSValue last_encoding(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc, (void)argv;
  return JS_NewUint32(ctx, found_encoding);
}

typedef struct {
  const uint8_t* bytes;
  uint32_t size;
} Table;

static Table table_of(uint8_t number) {
  enum { MAX_TABLES = 48 };
  static Table tables[MAX_TABLES];  // filled as they are asked for
  Table* table = &tables[number < MAX_TABLES ? number : 0];
  if (!table->bytes) {
    int32_t size = host_stage(STAGE_TABLE, (const char*)&number, 1, NULL, 0);
    uint8_t* bytes = size > 0 ? malloc((uint32_t)size) : NULL;
    if (!bytes) __builtin_trap();
    host_unstage(bytes);
    table->bytes = bytes;
    table->size = (uint32_t)size;
  }
  return *table;
}

static uint32_t entry(Table table, uint32_t index) {
  return (uint32_t)(table.bytes[2 * index] | table.bytes[2 * index + 1] << 8);
}

// What an index has at `pointer`, 0 for nothing. Of `count` entries the file has a bit too where
// some are in plane 2.
static uint32_t indexed(Table table, uint32_t count, uint32_t pointer) {
  if (pointer >= count) return 0;
  uint32_t code = entry(table, pointer);
  bool is_far = table.size > 2 * count && table.bytes[2 * count + pointer / 8] >> pointer % 8 & 1;
  return is_far ? code | 0x20000 : code;
}

// What is at the start of some bytes. Zero of them: the text ends before it is decided.
typedef struct {
  uint32_t size;
  uint32_t code;  // 0: these bytes are an error
  uint32_t mark;  // a second character, or 0
} Step;

static bool within(uint32_t value, uint32_t low, uint32_t high) {
  return value >= low && value <= high;
}

// The end of a sequence of `size` bytes. One that is wrong gives back an ASCII byte at its end.
static Step ended(const uint8_t* at, uint32_t size, uint32_t code) {
  return (Step){code == 0 && at[size - 1] < 0x80 ? size - 1 : size, code, 0};
}

static Step gb18030(Table index, Table ranges, const uint8_t* at, uint32_t left) {
  if (at[0] == 0x80) return (Step){1, 0x20AC, 0};
  if (at[0] == 0xFF) return (Step){1, 0, 0};
  if (left < 2) return (Step){0};
  if (!within(at[1], 0x30, 0x39)) {
    uint32_t code = 0;
    if (within(at[1], 0x40, 0xFE) && at[1] != 0x7F)
      code =
          indexed(index, 126 * 190, (at[0] - 0x81u) * 190 + at[1] - (at[1] < 0x7F ? 0x40u : 0x41u));
    return ended(at, 2, code);
  }
  if (left > 2 && !within(at[2], 0x81, 0xFE)) return (Step){1, 0, 0};
  if (left > 3 && !within(at[3], 0x30, 0x39)) return (Step){1, 0, 0};
  if (left < 4) return (Step){0};
  uint32_t pointer =
      ((at[0] - 0x81u) * 10 + at[1] - 0x30u) * 1260 + (at[2] - 0x81u) * 10 + at[3] - 0x30u;
  if (within(pointer, 189000, 1237575)) return (Step){4, 0x10000 + pointer - 189000, 0};
  if (pointer > 39419) return (Step){4, 0, 0};
  uint32_t low = 0, high = ranges.size / 4;  // the last run that begins at or before the pointer
  while (high - low > 1) {
    uint32_t middle = (low + high) / 2;
    if (entry(ranges, 2 * middle) <= pointer)
      low = middle;
    else
      high = middle;
  }
  return (Step){4, entry(ranges, 2 * low + 1) + pointer - entry(ranges, 2 * low), 0};
}

static Step big5(Table index, const uint8_t* at, uint32_t left) {
  if (!within(at[0], 0x81, 0xFE)) return (Step){1, 0, 0};
  if (left < 2) return (Step){0};
  if (!within(at[1], 0x40, 0x7E) && !within(at[1], 0xA1, 0xFE)) return ended(at, 2, 0);
  uint32_t pointer = (at[0] - 0x81u) * 157 + at[1] - (at[1] < 0x7F ? 0x40u : 0x62u);
  if (pointer == 1133 || pointer == 1135) return (Step){2, 0xCA, pointer == 1133 ? 0x304 : 0x30C};
  if (pointer == 1164 || pointer == 1166) return (Step){2, 0xEA, pointer == 1164 ? 0x304 : 0x30C};
  return ended(at, 2, indexed(index, 126 * 157, pointer));
}

enum { JIS0208 = 60 * 188, JIS0212 = 94 * 94 };

static Step euc_jp(Table jis0208, Table jis0212, const uint8_t* at, uint32_t left) {
  if (at[0] != 0x8E && at[0] != 0x8F && !within(at[0], 0xA1, 0xFE)) return (Step){1, 0, 0};
  if (left < 2) return (Step){0};
  if (at[0] == 0x8E) return ended(at, 2, within(at[1], 0xA1, 0xDF) ? 0xFF61 - 0xA1u + at[1] : 0);
  if (!within(at[1], 0xA1, 0xFE)) return ended(at, 2, 0);
  if (at[0] != 0x8F)
    return ended(at, 2, indexed(jis0208, JIS0208, (at[0] - 0xA1u) * 94 + at[1] - 0xA1u));
  if (left < 3) return (Step){0};
  if (!within(at[2], 0xA1, 0xFE)) return ended(at, 3, 0);
  return ended(at, 3, indexed(jis0212, JIS0212, (at[1] - 0xA1u) * 94 + at[2] - 0xA1u));
}

static Step shift_jis(Table jis0208, const uint8_t* at, uint32_t left) {
  if (at[0] == 0x80) return (Step){1, 0x80, 0};
  if (within(at[0], 0xA1, 0xDF)) return (Step){1, 0xFF61 - 0xA1u + at[0], 0};
  if (!within(at[0], 0x81, 0x9F) && !within(at[0], 0xE0, 0xFC)) return (Step){1, 0, 0};
  if (left < 2) return (Step){0};
  if (!within(at[1], 0x40, 0xFC) || at[1] == 0x7F) return ended(at, 2, 0);
  uint32_t lead = at[0] - (at[0] < 0xA0 ? 0x81u : 0xC1u);
  uint32_t pointer = lead * 188 + at[1] - (at[1] < 0x7F ? 0x40u : 0x41u);
  if (within(pointer, 8836, 10715)) return (Step){2, 0xE000 - 8836 + pointer, 0};
  return ended(at, 2, indexed(jis0208, JIS0208, pointer));
}

static Step euc_kr(Table index, const uint8_t* at, uint32_t left) {
  if (!within(at[0], 0x81, 0xFE)) return (Step){1, 0, 0};
  if (left < 2) return (Step){0};
  if (!within(at[1], 0x41, 0xFE)) return ended(at, 2, 0);
  return ended(at, 2, indexed(index, 126 * 190, (at[0] - 0x81u) * 190 + at[1] - 0x41u));
}

static Step single_byte(Table upper, const uint8_t* at) {
  uint32_t code = entry(upper, at[0] - 0x80u);
  return (Step){1, code == 0xFFFD ? 0 : code, 0};
}

typedef struct {
  uint16_t* out;
  bool is_fatal;
  bool failed;
} Output;

static void put_code(Output* output, uint32_t code) {
  if (code >= 0x10000) {
    *output->out++ = (uint16_t)(0xD7C0 + (code >> 10));
    code = 0xDC00 | (code & 0x3FF);
  }
  *output->out++ = (uint16_t)code;
}

static void put_error(Output* output) {
  if (output->is_fatal)
    output->failed = true;
  else
    put_code(output, 0xFFFD);
}

// ISO-2022-JP is the one with a state between its characters.
enum JisMode { ASCII, ROMAN, KATAKANA, LEAD_BYTE, TRAIL_BYTE, ESCAPE_START, ESCAPE };
enum { END = -1 };
typedef struct {
  uint8_t mode;    // enum JisMode
  uint8_t output;  // the mode that an escape sequence chose
  uint8_t lead;
  uint8_t was_escape;  // nothing came after an escape sequence
} Jis;

// Takes a byte, or the END. False: it is to be given again.
static bool jis_step(Jis* jis, Table jis0208, int byte, Output* output) {
  uint32_t code = 0;
  switch ((enum JisMode)jis->mode) {
    case ASCII:
    case ROMAN:
      if (byte < 0x80 && byte != 0x0E && byte != 0x0F) code = (uint32_t)byte;
      if (byte == 0) {
        jis->was_escape = false;
        put_code(output, 0);
        return true;
      }
      if (jis->mode == ROMAN && byte == 0x5C) code = 0xA5;
      if (jis->mode == ROMAN && byte == 0x7E) code = 0x203E;
      break;
    case KATAKANA:
      if (byte >= 0x21 && byte <= 0x5F) code = (uint32_t)(0xFF61 - 0x21 + byte);
      break;
    case LEAD_BYTE:
      if (byte >= 0x21 && byte <= 0x7E) {
        jis->was_escape = false;
        jis->lead = (uint8_t)byte;
        jis->mode = TRAIL_BYTE;
        return true;
      }
      break;
    case TRAIL_BYTE:
      if (byte == 0x1B) {
        jis->mode = ESCAPE_START;
        put_error(output);
        return true;
      }
      jis->mode = LEAD_BYTE;
      if (byte >= 0x21 && byte <= 0x7E)
        code = indexed(jis0208, JIS0208, (uint32_t)((jis->lead - 0x21) * 94 + byte - 0x21));
      if (code)
        put_code(output, code);
      else
        put_error(output);
      return byte != END;
    case ESCAPE_START:
      if (byte == 0x24 || byte == 0x28) {
        jis->lead = (uint8_t)byte;
        jis->mode = ESCAPE;
        return true;
      }
      jis->was_escape = false;
      jis->mode = jis->output;
      put_error(output);
      return false;
    case ESCAPE: {
      int mode = jis->lead == 0x24 ? (byte == 0x40 || byte == 0x42 ? LEAD_BYTE : END)
                 : byte == 0x42    ? ASCII
                 : byte == 0x4A    ? ROMAN
                 : byte == 0x49    ? KATAKANA
                                   : END;
      if (mode != END) {
        jis->mode = jis->output = (uint8_t)mode;
        if (jis->was_escape) put_error(output);
        jis->was_escape = true;
        return true;
      }
      jis->was_escape = false;
      jis->mode = jis->output;
      put_error(output);
      if (!output->failed) jis_step(jis, jis0208, jis->lead, output);
      return false;
    }
  }
  if (byte == END) return true;
  if (byte == 0x1B) {
    jis->mode = ESCAPE_START;
    return true;
  }
  jis->was_escape = false;
  if (code)
    put_code(output, code);
  else
    put_error(output);
  return true;
}

static Jis iso_2022_jp(Jis jis, Table jis0208, const uint8_t* at, const uint8_t* end, bool stream,
                       Output* output) {
  while (at < end && !output->failed) at += jis_step(&jis, jis0208, *at, output);
  while (!stream && !output->failed && !jis_step(&jis, jis0208, END, output)) {
  }
  return jis;
}

// What the last decoding with STREAM left: bytes of an unfinished sequence, and a state.
static uint32_t unfinished;
static uint32_t state;

static const uint8_t* by_sequences(enum Kind kind, Table first, Table second, const uint8_t* at,
                                   const uint8_t* end, bool stream, Output* output) {
  while (at < end && !output->failed) {
    if (*at < 0x80) {
      *output->out++ = *at++;
      continue;
    }
    uint32_t left = (uint32_t)(end - at);
    Step step = kind == SINGLE_BYTE ? single_byte(first, at)
                : kind == GB18030   ? gb18030(first, second, at, left)
                : kind == BIG5      ? big5(first, at, left)
                : kind == EUC_JP    ? euc_jp(first, second, at, left)
                : kind == SHIFT_JIS ? shift_jis(first, at, left)
                : kind == EUC_KR    ? euc_kr(first, at, left)
                                    : (Step){1, 0xF780 - 0x80u + *at, 0};
    if (step.size == 0 && stream) break;
    if (step.code == 0)
      put_error(output);
    else
      put_code(output, step.code);
    if (step.mark) put_code(output, step.mark);
    at += step.size == 0 ? left : step.size;
  }
  return at;
}

static JSValue utf16(JSContext* ctx, const uint8_t* bytes, uint32_t size, int flags, int big) {
  uint32_t count = size / 2;
  uint16_t* units = malloc((size_t)count * 2 + 2);
  if (!units) __builtin_trap();
  for (uint32_t i = 0; i < count; ++i)
    units[i] = (uint16_t)(bytes[2 * i + (big ? 0 : 1)] << 8 | bytes[2 * i + (big ? 1 : 0)]);

  unfinished = size % 2;
  if (flags & STREAM && count > 0 && units[count - 1] >> 10 == 0x36) {
    unfinished += 2;
    --count;
  }
  bool good = flags & STREAM || unfinished == 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (units[i] >> 11 != 0x1B) continue;
    if (units[i] < 0xDC00 && i + 1 < count && units[i + 1] >> 10 == 0x37) {
      ++i;
    } else {
      units[i] = 0xFFFD;
      good = false;
    }
  }
  // Half a pair and half a unit at the end are one error.
  bool is_half_pair = count > 0 && size >= 2 && !(flags & STREAM) && unfinished &&
                      bytes[size - 3 + (big ? 0 : 1)] >> 2 == 0x36;
  if (!(flags & STREAM) && unfinished && !is_half_pair) units[count++] = 0xFFFD;
  JSValue text =
      good || !(flags & FATAL) ? JS_NewStringUTF16(ctx, units, count) : decode_failed(ctx);
  free(units);
  return text;
}

// decode(bytes, flags, encoding, state)
static JSValue decode(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc;
  uint8_t* bytes;
  uint32_t size;
  if (!engine_bytes(argv[0], &bytes, &size)) size = 0, bytes = NULL;
  int flags = JS_VALUE_GET_INT(argv[1]);
  uint32_t encoding = (uint32_t)JS_VALUE_GET_INT(argv[2]);
  enum Kind kind = (enum Kind)(encoding & 0xFF);
  unfinished = state = 0;
  if (kind == UTF_8)
    return decode_utf8(ctx, bytes, size, flags & FATAL, flags & STREAM ? &unfinished : NULL);
  if (kind <= UTF_16BE) return utf16(ctx, bytes, size, flags, kind == UTF_16BE);

  // A byte is one unit at most. Those of the state are three more.
  enum { MAX_BYTES = 1 << 30 };
  if (size >= MAX_BYTES) return JS_ThrowRangeError(ctx, "The text is too long");
  uint16_t* units = malloc((size_t)size * 2 + 8);
  if (!units) __builtin_trap();
  Output output = {units, flags & FATAL, false};
  const uint8_t* end = bytes + size;
  uint8_t numbers[2] = {(uint8_t)(encoding >> 8), (uint8_t)(encoding >> 16)};
  Table tables[2] = {{0}, {0}};
  for (int i = 0; i < 2; ++i)
    if (size > 0 && numbers[i] != 0xFF) tables[i] = table_of(numbers[i]);
  if (kind == ISO_2022_JP) {
    Jis jis;
    state = (uint32_t)JS_VALUE_GET_INT(argv[3]);
    memcpy(&jis, &state, sizeof jis);
    if (state != 0) tables[0] = table_of(numbers[0]);
    jis = iso_2022_jp(jis, tables[0], bytes, end, flags & STREAM, &output);
    memcpy(&state, &jis, sizeof jis);
  } else {
    unfinished = (uint32_t)(end - by_sequences(kind, tables[0], tables[1], bytes, end,
                                               flags & STREAM, &output));
  }
  JSValue text = output.failed ? decode_failed(ctx)
                               : JS_NewStringUTF16(ctx, units, (uint32_t)(output.out - units));
  free(units);
  return text;
}

static JSValue last_unfinished(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc, (void)argv;
  return JS_NewUint32(ctx, unfinished);
}

static JSValue last_state(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc, (void)argv;
  return JS_NewUint32(ctx, state);
}

void decoder_natives(JSContext* ctx, JSValueConst natives) {
  web_add_native(ctx, natives, "encodingOf", encoding_of, 1);
  web_add_native(ctx, natives, "lastEncoding", last_encoding, 0);
  web_add_native(ctx, natives, "decode", decode, 4);
  web_add_native(ctx, natives, "unfinished", last_unfinished, 0);
  web_add_native(ctx, natives, "lastState", last_state, 0);
}
