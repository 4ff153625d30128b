// console.log and the like: one line per call, formatted as execbox does. Strings are printed as
// they are, other values as JSON if JSON has a text for them, and otherwise as String() prints
// them. A value that throws when it is read does not end the program that wanted to show it.

#include "guest.h"
#include "host.h"

enum { MOST_UNITS = 1 << 24 };  // for one argument; the host cuts the line to its own limit

// An Error has no enumerable properties, so JSON would show `{}`. Name the properties that people
// look for.
static JSValue error_as_object(JSContext* ctx, JSValueConst error) {
  static const char* const names[] = {"name", "message", "stack"};
  JSValue shown = JS_NewObject(ctx);
  for (int i = 0; i < 3; ++i)
    JS_DefinePropertyValueStr(ctx, shown, names[i], JS_GetPropertyStr(ctx, error, names[i]),
                              JS_PROP_C_W_E);
  return shown;
}

static JSValue formatted(JSContext* ctx, JSValueConst value) {
  if (JS_IsString(value)) return JS_DupValue(ctx, value);
  if (JS_IsUndefined(value)) return JS_NewString(ctx, "undefined");

  JSValue shown = engine_is_error(value) ? error_as_object(ctx, value) : JS_DupValue(ctx, value);
  JSValue text = JS_JSONStringify(ctx, shown, JS_UNDEFINED, JS_UNDEFINED);
  JS_FreeValue(ctx, shown);
  if (JS_IsString(text)) return text;

  if (JS_IsException(text)) JS_FreeValue(ctx, JS_GetException(ctx));
  JS_FreeValue(ctx, text);
  text = string_of(ctx, value);
  if (!JS_IsException(text)) return text;

  JS_FreeValue(ctx, JS_GetException(ctx));
  return JS_NewString(ctx, "[object Object]");
}

static JSValue console_line(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv,
                            int level) {
  (void)self;
  // Formatting runs code of the program (toJSON, getters), which may log. So this call has its own
  // buffer.
  Buffer line = {0};
  put_u8(&line, (uint8_t)level);
  for (int i = 0; i < argc; ++i) {
    if (i > 0) put_u8(&line, ' ');
    JSValue text = formatted(ctx, argv[i]);
    bool good = !JS_IsException(text);
    good = good && put_characters(&line, ctx, text, MOST_UNITS);
    JS_FreeValue(ctx, text);
    if (!good) {
      free(line.data);
      return JS_EXCEPTION;
    }
  }
  host_emit(EMIT_LOG, line.data, line.size);
  free(line.data);
  return JS_UNDEFINED;
}

void console_uncaught(JSContext* ctx, JSValueConst thrown) {
  enum { ERROR_LEVEL = 3 };
  Buffer line = {0};
  put_u8(&line, ERROR_LEVEL);
  put_bytes(&line, "Uncaught ", 9);
  JSValue text = string_of(ctx, thrown);
  if (JS_IsException(text) || !put_characters(&line, ctx, text, MOST_UNITS))
    JS_FreeValue(ctx, JS_GetException(ctx));
  JS_FreeValue(ctx, text);
  host_emit(EMIT_LOG, line.data, line.size);
  free(line.data);
}

void console_install(JSContext* ctx, JSValueConst global) {
  static const char* const levels[] = {"log", "info", "warn", "error", "debug"};
  JSValue console = JS_NewObject(ctx);
  for (int level = 0; level < 5; ++level) {
    JSValue function =
        JS_NewCFunctionMagic(ctx, console_line, levels[level], 0, JS_CFUNC_generic_magic, level);
    JS_DefinePropertyValueStr(ctx, console, levels[level], function,
                              JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE | JS_PROP_ENUMERABLE);
  }
  JS_DefinePropertyValueStr(ctx, global, "console", console,
                            JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE);
}
