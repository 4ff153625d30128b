// What was thrown, as text. Reading it may run getters of the program; what they throw is dropped.

#include "guest.h"
#include "inspect.h"

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

// What is no error and has no text of its own is shown as the inspector would. A text may be long,
// so there may be no more of it than of a message.
static void put_shown(Buffer* buffer, JSContext* ctx, JSValueConst thrown) {
  if (JS_IsFunction(ctx, thrown) || JS_IsProxy(thrown) || engine_says_text(ctx, thrown)) {
    put_any_text(buffer, ctx, thrown);
    return;
  }
  Buffer text = {0};
  inspect(&text, ctx, thrown, &inspect_nested);
  put_u32(buffer, text.size);
  put_bytes(buffer, text.data, text.size);
  free(text.data);
}

static void put_frames(Buffer* buffer, JSContext* ctx, JSValueConst error) {
  JSValue frames = engine_error_frames(ctx, error);
  if (!JS_IsString(frames)) {
    JSValue own = engine_data(ctx, error, "stack", true);
    if (JS_IsUninitialized(own)) frames = JS_GetPropertyStr(ctx, error, "stack");  // a getter's
    if (JS_IsException(frames)) forget_exception(ctx);
    JS_FreeValue(ctx, own);
  }
  if (!JS_IsString(frames)) {
    JS_FreeValue(ctx, frames);
    frames = engine_made_at(ctx, error);
  }
  if (JS_IsString(frames))
    put_any_text(buffer, ctx, frames);
  else
    put_nothing(buffer);
  JS_FreeValue(ctx, frames);
}

static void put_error(Buffer* buffer, JSContext* ctx, JSValueConst thrown) {
  if (!JS_IsObject(thrown)) {
    put_nothing(buffer);
    put_any_text(buffer, ctx, thrown);
    put_thrown_at(buffer, ctx, thrown);
    return;
  }
  if (!put_string_property(buffer, ctx, thrown, "name")) put_nothing(buffer);
  bool is_error = engine_is_error(thrown);
  if (!put_string_property(buffer, ctx, thrown, "message")) {
    if (is_error)
      put_any_text(buffer, ctx, thrown);
    else
      put_shown(buffer, ctx, thrown);
  }
  if (is_error)
    put_frames(buffer, ctx, thrown);
  else
    put_thrown_at(buffer, ctx, thrown);
}

// What an error follows from: the chain of its causes. An AggregateError without a cause has a list
// of them.
static uint32_t put_causes(Buffer* buffer, JSContext* ctx, JSValueConst thrown) {
  uint32_t count = 0;
  JSValue error = JS_DupValue(ctx, thrown);
  while (count < MOST_CAUSES && engine_is_error(error)) {
    JSValue cause = JS_GetPropertyStr(ctx, error, "cause");
    JS_FreeValue(ctx, error);
    error = cause;
    if (JS_IsException(cause)) forget_exception(ctx);
    if (JS_IsException(cause) || JS_IsUndefined(cause)) break;
    put_error(buffer, ctx, cause);
    ++count;
  }
  JS_FreeValue(ctx, error);
  return count;
}

static uint32_t put_errors(Buffer* buffer, JSContext* ctx, JSValueConst thrown) {
  uint32_t count = 0;
  JSValue errors = engine_data(ctx, thrown, "errors", false);
  while (JS_IsArray(errors) && count < MOST_CAUSES) {
    JSValue error = JS_GetPropertyUint32(ctx, errors, count);
    if (JS_IsException(error)) forget_exception(ctx);
    bool is_one = engine_is_error(error);
    if (is_one) put_error(buffer, ctx, error);
    JS_FreeValue(ctx, error);
    if (!is_one) break;
    ++count;
  }
  JS_FreeValue(ctx, errors);
  return count;
}

void errors_put(Buffer* buffer, JSContext* ctx, JSValueConst thrown) {
  put_u64(buffer, tools_failed_call(ctx, thrown));
  put_error(buffer, ctx, thrown);

  uint32_t count_at = buffer->size;
  put_u32(buffer, 0);
  uint32_t count = put_causes(buffer, ctx, thrown);
  if (count == 0 && engine_is_error(thrown)) count = put_errors(buffer, ctx, thrown);
  set_u32(buffer, count_at, count);
  tools_put_refusal(buffer, ctx, thrown);
  hints_put(buffer, ctx, thrown);
}
