#include "console.h"
#include "inspect.h"

enum { MOST_UNITS = 1 << 24 };  // for one argument; the host cuts the line to its own limit

static bool is_execbox;

void console_become_execbox(void) { is_execbox = true; }

static void forget(JSContext* ctx) { JS_FreeValue(ctx, JS_GetException(ctx)); }

// False if it is no string: nothing is written, and no exception is left.
static bool put_taken_string(Buffer* out, JSContext* ctx, JSValue text) {
  bool good = JS_IsString(text) && put_characters(out, ctx, text, MOST_UNITS);
  if (!good) forget(ctx);
  JS_FreeValue(ctx, text);
  return good;
}

static bool put_json(Buffer* out, JSContext* ctx, JSValueConst value) {
  return put_taken_string(out, ctx, JS_JSONStringify(ctx, value, JS_UNDEFINED, JS_UNDEFINED));
}

// An Error has no enumerable properties, so JSON would show `{}`. Name the properties that people
// look for.
static bool put_error_as_json(Buffer* out, JSContext* ctx, JSValueConst error) {
  static const char* const names[] = {"name", "message", "stack"};
  JSValue shown = JS_NewObject(ctx);
  for (int i = 0; i < 3; ++i) {
    JSValue value = JS_GetPropertyStr(ctx, error, names[i]);
    if (JS_IsException(value)) {
      forget(ctx);
      value = JS_UNDEFINED;
    }
    JS_DefinePropertyValueStr(ctx, shown, names[i], value, JS_PROP_C_W_E);
  }
  bool good = put_json(out, ctx, shown);
  JS_FreeValue(ctx, shown);
  return good;
}

// As execbox's specification says: JSON when possible, with fallback string conversion. It says
// nothing of objects of which JSON loses a part, so these are shown as anywhere else.
static bool put_as_execbox(Buffer* out, JSContext* ctx, JSValueConst value) {
  if (JS_IsUndefined(value)) return false;
  if (engine_is_error(value)) return put_error_as_json(out, ctx, value);
  bool is_object = JS_IsObject(value) && !JS_IsFunction(ctx, value);
  if (!is_object || engine_json_carries(ctx, value)) {
    if (put_json(out, ctx, value)) return true;
  }
  return !is_object && put_taken_string(out, ctx, string_of(ctx, value));
}

void console_put_argument(Buffer* out, JSContext* ctx, JSValueConst value) {
  if (JS_IsString(value)) {
    put_taken_string(out, ctx, JS_DupValue(ctx, value));
    return;
  }
  if (is_execbox) {
    if (put_as_execbox(out, ctx, value)) return;
  } else if (JS_IsObject(value) && !engine_is_error(value) && engine_kind(value) != KIND_DATE &&
             engine_json_carries(ctx, value)) {
    if (put_json(out, ctx, value)) return;
  }
  inspect(out, ctx, value, &inspect_alone);
}

// Directives.

static void put_inspected(Buffer* out, JSContext* ctx, JSValueConst value) {
  if (JS_IsObject(value))
    console_put_argument(out, ctx, value);
  else
    inspect(out, ctx, value, &inspect_nested);
}

static void put_as_text(Buffer* out, JSContext* ctx, JSValueConst value) {
  bool is_function = JS_IsObject(value) && JS_IsFunction(ctx, value);
  bool says_text = JS_IsObject(value) && JS_IsStrictEqual(ctx, engine_unproxied(value), value) &&
                   engine_says_text(ctx, value);
  if (JS_IsString(value) || JS_IsSymbol(value) || is_function || says_text) {
    if (put_taken_string(out, ctx, string_of(ctx, value))) return;
  }
  put_inspected(out, ctx, value);
}

static void put_as_number(Buffer* out, JSContext* ctx, JSValueConst value, char letter) {
  double number = 0;
  JSValue converted;
  if (JS_IsBigInt(value)) {
    converted = JS_DupValue(ctx, value);
  } else if (JS_IsSymbol(value)) {
    converted = JS_NewFloat64(ctx, __builtin_nan(""));
  } else if (letter != 'd') {
    converted = engine_parsed_number(ctx, value, letter == 'i');
  } else {
    converted = JS_ToFloat64(ctx, &number, value) ? JS_EXCEPTION : JS_NewFloat64(ctx, number);
  }
  if (JS_IsException(converted)) {
    forget(ctx);
    converted = JS_NewFloat64(ctx, __builtin_nan(""));
  }
  inspect(out, ctx, converted, &inspect_nested);
  JS_FreeValue(ctx, converted);
}

static void put_directive(Buffer* out, JSContext* ctx, char letter, JSValueConst value) {
  switch (letter) {
    case 's':
      put_as_text(out, ctx, value);
      break;
    case 'd':
    case 'i':
    case 'f':
      put_as_number(out, ctx, value, letter);
      break;
    case 'j':
      if (!put_json(out, ctx, value)) put_inspected(out, ctx, value);
      break;
    case 'c':
      break;
    default:
      put_inspected(out, ctx, value);
  }
}

// Puts the format at the end of `out` to work. Returns how many arguments it took, itself included.
static int apply_format(Buffer* out, uint32_t start, JSContext* ctx, int argc, JSValueConst* argv) {
  Buffer format = {0};
  put_bytes(&format, out->data + start, out->size - start);
  out->size = start;
  uint32_t written = 0;
  int next = 1;
  for (uint32_t i = 0; i + 1 < format.size; ++i) {
    if (format.data[i] != '%') continue;
    char letter = (char)format.data[++i];
    if (letter == '%') {
      put_bytes(out, format.data + written, i - written);
    } else {
      if (next == argc || !memchr("sdifjoOc", letter, 8)) continue;
      put_bytes(out, format.data + written, i - 1 - written);
      put_directive(out, ctx, letter, argv[next++]);
    }
    written = i + 1;
  }
  put_bytes(out, format.data + written, format.size - written);
  free(format.data);
  return next;
}

void console_put_arguments(Buffer* out, JSContext* ctx, int argc, JSValueConst* argv) {
  int next = 0;
  if (argc > 1 && JS_IsString(argv[0]) && !is_execbox) {
    uint32_t start = out->size;
    console_put_argument(out, ctx, argv[0]);
    next = 1;
    if (out->size > start && memchr(out->data + start, '%', out->size - start))
      next = apply_format(out, start, ctx, argc, argv);
  }
  for (; next < argc; ++next) {
    if (next > 0) put_u8(out, ' ');
    console_put_argument(out, ctx, argv[next]);
  }
}
