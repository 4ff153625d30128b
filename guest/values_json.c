// A value under the looser rule: what JSON.stringify makes of it, as execbox itself does. toJSON is
// called, a Date is its text, NaN is null, functions inside vanish. The walk of values_out.c then
// writes the outcome, which is plain.

#include "guest.h"

static bool refuse(JSContext* ctx, Refused* refused, enum Refusal why, JSValue thrown) {
  *refused = (Refused){0};
  refused->why = why;
  if (why == REFUSED_GETTER) {
    JSValue text = string_of(ctx, thrown);
    if (JS_IsException(text) || !put_characters(&refused->more, ctx, text, 1000))
      JS_FreeValue(ctx, JS_GetException(ctx));
    JS_FreeValue(ctx, text);
  }
  JS_FreeValue(ctx, thrown);
  return false;
}

static bool put_json(Buffer* buffer, JSContext* ctx, JSValueConst value, Refused* refused) {
  JSValue text = JS_JSONStringify(ctx, value, JS_UNDEFINED, JS_UNDEFINED);
  if (JS_IsException(text)) return refuse(ctx, refused, REFUSED_GETTER, JS_GetException(ctx));
  if (JS_IsUndefined(text))
    return refuse(ctx, refused, JS_IsSymbol(value) ? REFUSED_SYMBOL : REFUSED_FUNCTION,
                  JS_UNDEFINED);
  size_t size = 0;
  const char* bytes = JS_ToCStringLen(ctx, &size, text);
  JS_FreeValue(ctx, text);
  JSValue plain = bytes ? JS_ParseJSON(ctx, bytes, size, "json") : JS_EXCEPTION;
  JS_FreeCString(ctx, bytes);
  if (JS_IsException(plain)) return refuse(ctx, refused, REFUSED_GETTER, JS_GetException(ctx));
  bool good = value_put_walked(buffer, ctx, plain, refused);
  JS_FreeValue(ctx, plain);
  return good;
}

bool value_put(Buffer* buffer, JSContext* ctx, JSValueConst value, Refused* refused) {
  if (guest_limits.values == VALUES_JSON && !JS_IsUndefined(value))
    return put_json(buffer, ctx, value, refused);
  return value_put_walked(buffer, ctx, value, refused);
}
