#include "inspector.h"

void inspect_number(Inspector* in, uint32_t number) {
  char digits[12];
  int at = sizeof digits;
  do digits[--at] = (char)('0' + number % 10);
  while (number /= 10);
  put_bytes(in->out, digits + at, (uint32_t)(sizeof digits - (size_t)at));
}

void inspect_string(Inspector* in, JSValueConst string, uint32_t most) {
  if (!put_characters(in->out, in->ctx, string, most)) forget(in->ctx);
}

// Takes `text`, which may be an exception.
void inspect_taken(Inspector* in, JSValue text) {
  if (JS_IsException(text))
    forget(in->ctx);
  else
    inspect_string(in, text, MAX_STRING_UNITS);
  JS_FreeValue(in->ctx, text);
}

void inspect_more(Inspector* in, uint32_t count, const char* what) {
  put(in, "... ");
  inspect_number(in, count);
  put(in, " more ");
  put(in, what);
  if (count > 1) put(in, "s");
}

// Quoted strings.

static const char lower_hex[] = "0123456789abcdef";

static uint32_t unit_at(const EngineText* text, uint32_t index) {
  return text->narrow ? text->narrow[index] : text->wide[index];
}

static char quote_for(const EngineText* text) {
  bool has_single = false;
  bool has_double = false;
  bool has_back = false;
  for (uint32_t i = 0; i < text->length; ++i) {
    uint32_t unit = unit_at(text, i);
    has_single = has_single || unit == '\'';
    has_double = has_double || unit == '"';
    has_back = has_back || unit == '`' ||
               (unit == '$' && i + 1 < text->length && unit_at(text, i + 1) == '{');
  }
  if (!has_single) return '\'';
  if (!has_double) return '"';
  return has_back ? '\'' : '`';
}

void inspect_hex(Buffer* out, uint32_t number, int digits, const char* alphabet) {
  while (digits-- > 0) put_u8(out, (uint8_t)alphabet[number >> digits * 4 & 15]);
}

// The units that cannot stand for themselves between quotes.
static bool put_escaped(Buffer* out, uint32_t unit, char quote) {
  static const char letters[] = "btn\0fr";  // of \b and what follows
  if (unit == '\\' || unit == (uint8_t)quote) {
    put_u8(out, '\\');
    put_u8(out, (uint8_t)unit);
  } else if (unit >= '\b' && unit <= '\r' && unit != '\v') {
    put_u8(out, '\\');
    put_u8(out, (uint8_t)letters[unit - '\b']);
  } else if (unit < 0x20 || (unit >= 0x7F && unit < 0xA0)) {
    put_bytes(out, "\\x", 2);
    inspect_hex(out, unit, 2, "0123456789ABCDEF");
  } else if (unit >> 11 == 0x1B) {  // a lone surrogate
    put_bytes(out, "\\u", 2);
    inspect_hex(out, unit, 4, lower_hex);
  } else {
    return false;
  }
  return true;
}

static void put_utf8(Buffer* out, uint32_t c) {
  uint8_t bytes[4];
  uint32_t size = 0;
  if (c < 0x80) {
    bytes[size++] = (uint8_t)c;
  } else {
    if (c < 0x800) {
      bytes[size++] = (uint8_t)(0xC0 | c >> 6);
    } else {
      if (c < 0x10000) {
        bytes[size++] = (uint8_t)(0xE0 | c >> 12);
      } else {
        bytes[size++] = (uint8_t)(0xF0 | c >> 18);
        bytes[size++] = (uint8_t)(0x80 | (c >> 12 & 0x3F));
      }
      bytes[size++] = (uint8_t)(0x80 | (c >> 6 & 0x3F));
    }
    bytes[size++] = (uint8_t)(0x80 | (c & 0x3F));
  }
  put_bytes(out, bytes, size);
}

// Without a quote (0) it is a text that must stay on its line.
static void put_units(Buffer* out, const EngineText* text, uint32_t most, char quote) {
  uint32_t length = text->length < most ? text->length : most;
  for (uint32_t i = 0; i < length; ++i) {
    uint32_t unit = unit_at(text, i);
    if (unit >> 10 == 0x36 && i + 1 < length && unit_at(text, i + 1) >> 10 == 0x37) {
      put_utf8(out, 0x10000 + ((unit & 0x3FF) << 10) + (unit_at(text, ++i) & 0x3FF));
    } else if (!quote && unit != '\n' && unit != '\r') {
      put_utf8(out, unit);
    } else if (!put_escaped(out, unit, quote)) {
      put_utf8(out, unit);
    }
  }
}

void inspect_quoted(Inspector* in, JSValueConst string) {
  EngineText text;
  if (!engine_text(in->ctx, string, &text)) {
    forget(in->ctx);
    return;
  }
  char quote = quote_for(&text);
  put_u8(in->out, (uint8_t)quote);
  put_units(in->out, &text, MAX_STRING_UNITS, quote);
  put_u8(in->out, (uint8_t)quote);
  if (text.length > MAX_STRING_UNITS) inspect_more(in, text.length - MAX_STRING_UNITS, "character");
  engine_text_free(in->ctx, &text);
}

void inspect_line(Inspector* in, JSValueConst string, uint32_t most) {
  EngineText text;
  if (!engine_text(in->ctx, string, &text)) {
    forget(in->ctx);
    return;
  }
  put_units(in->out, &text, most, 0);
  if (text.length > most) put(in, "...");
  engine_text_free(in->ctx, &text);
}

// Primitives.

void inspect_symbol(Inspector* in, JSValueConst symbol) {
  JSValue text = string_of(in->ctx, symbol);
  if (JS_IsException(text))
    forget(in->ctx);
  else
    inspect_line(in, text, MAX_NAME_UNITS);
  JS_FreeValue(in->ctx, text);
}

void inspect_primitive(Inspector* in, JSValueConst value) {
  double number;
  if (JS_IsString(value)) {
    inspect_quoted(in, value);
  } else if (JS_IsSymbol(value)) {
    inspect_symbol(in, value);
  } else if (JS_IsNumber(value) && !JS_ToFloat64(in->ctx, &number, value) && number == 0 &&
             __builtin_signbit(number)) {
    put(in, "-0");
  } else {
    inspect_taken(in, JS_ToString(in->ctx, value));
    if (JS_IsBigInt(value)) put(in, "n");
  }
}

bool inspect_is(Inspector* in, JSValueConst string, const char* text) {
  if (!JS_IsString(string)) return false;
  size_t length;
  const char* own = JS_ToCStringLen(in->ctx, &length, string);
  if (!own) {
    forget(in->ctx);
    return false;
  }
  bool is_same = length == strlen(text) && memcmp(own, text, length) == 0;
  JS_FreeCString(in->ctx, own);
  return is_same;
}

// Names of properties.

static bool is_identifier(const EngineText* text) {
  for (uint32_t i = 0; i < text->length; ++i) {
    uint32_t unit = unit_at(text, i);
    bool is_letter = (unit | 0x20) >= 'a' && (unit | 0x20) <= 'z';
    if (!is_letter && unit != '_' && (i == 0 || unit < '0' || unit > '9')) return false;
  }
  return text->length > 0;
}

void inspect_name(Inspector* in, JSAtom key, bool is_enumerable) {
  JSValue value = JS_AtomToValue(in->ctx, key);
  EngineText text;
  if (JS_IsSymbol(value)) {
    if (!is_enumerable) put(in, "[");
    inspect_symbol(in, value);
    if (!is_enumerable) put(in, "]");
  } else if (JS_IsException(value) || !engine_text(in->ctx, value, &text)) {
    forget(in->ctx);
  } else {
    bool is_plain = is_identifier(&text);
    bool is_proto = is_plain && inspect_is(in, value, "__proto__");
    if (is_proto) {
      put(in, "['__proto__']");
    } else if (!is_enumerable) {
      put(in, "[");
      inspect_line(in, text.owner, MAX_NAME_UNITS);
      put(in, "]");
    } else if (is_plain && text.length <= MAX_NAME_UNITS) {
      inspect_string(in, text.owner, MAX_NAME_UNITS);
    } else {
      inspect_quoted(in, text.owner);
    }
    engine_text_free(in->ctx, &text);
  }
  JS_FreeValue(in->ctx, value);
}

void inspect_key(Buffer* out, JSContext* ctx, JSAtom key) {
  Inspector in = {.ctx = ctx, .out = out, .start = out->size, .rule = inspect_nested};
  JSValue text = JS_AtomToString(ctx, key);
  if (JS_IsException(text))
    forget(ctx);
  else
    inspect_line(&in, text, MAX_NAME_UNITS);
  JS_FreeValue(ctx, text);
}
