// What was thrown, as text. Reading it may run getters of the program; what they throw is dropped.

#include "guest.h"

enum { MOST_CAUSES = 8, MOST_UNITS = 1 << 20 };

static void put_nothing(Buffer* buffer) { put_u32(buffer, 0); }

static void forget_exception(JSContext* ctx) { JS_FreeValue(ctx, JS_GetException(ctx)); }

static void put_any_text(Buffer* buffer, JSContext* ctx, JSValueConst value) {
  JSValue text = string_of(ctx, value);
  uint32_t at = buffer->size;
  if (JS_IsException(text) || !put_text(buffer, ctx, text, MOST_UNITS)) {
    forget_exception(ctx);
    buffer->size = at;
    put_nothing(buffer);
  }
  JS_FreeValue(ctx, text);
}

// A property if it is a string; nothing otherwise.
static bool put_string_property(Buffer* buffer, JSContext* ctx, JSValueConst object,
                                const char* name) {
  JSValue value = JS_GetPropertyStr(ctx, object, name);
  if (JS_IsException(value)) forget_exception(ctx);
  bool is_string = JS_IsString(value);
  if (is_string) put_any_text(buffer, ctx, value);
  JS_FreeValue(ctx, value);
  return is_string;
}

// The place alone, for a value that has no stack.
static void put_thrown_at(Buffer* buffer, JSContext* ctx, JSValueConst thrown) {
  JSValue line = engine_thrown_at(ctx, thrown);
  if (JS_IsString(line))
    put_any_text(buffer, ctx, line);
  else
    put_nothing(buffer);
  JS_FreeValue(ctx, line);
}

static void put_error(Buffer* buffer, JSContext* ctx, JSValueConst thrown) {
  if (!JS_IsObject(thrown)) {
    put_nothing(buffer);
    put_any_text(buffer, ctx, thrown);
    put_thrown_at(buffer, ctx, thrown);
    return;
  }
  if (!put_string_property(buffer, ctx, thrown, "name")) put_nothing(buffer);
  if (!put_string_property(buffer, ctx, thrown, "message")) put_any_text(buffer, ctx, thrown);
  if (!engine_is_error(thrown))
    put_thrown_at(buffer, ctx, thrown);
  else if (!put_string_property(buffer, ctx, thrown, "stack"))
    put_nothing(buffer);
}

void errors_put(Buffer* buffer, JSContext* ctx, JSValueConst thrown) {
  put_u64(buffer, tools_failed_call(ctx, thrown));
  put_error(buffer, ctx, thrown);

  uint32_t count_at = buffer->size;
  put_u32(buffer, 0);
  JSValue error = JS_DupValue(ctx, thrown);
  for (uint32_t count = 1; count <= MOST_CAUSES && engine_is_error(error); ++count) {
    JSValue cause = JS_GetPropertyStr(ctx, error, "cause");
    JS_FreeValue(ctx, error);
    error = cause;
    if (JS_IsException(cause)) forget_exception(ctx);
    if (JS_IsException(cause) || JS_IsUndefined(cause)) break;
    put_error(buffer, ctx, cause);
    set_u32(buffer, count_at, count);
  }
  JS_FreeValue(ctx, error);
  tools_put_refusal(buffer, ctx, thrown);
  hints_put(buffer, ctx, thrown);
}
