// Bytes from the host into JavaScript values. Properties are defined, not set: `__proto__` is an
// ordinary key here, and no setter of the guest's runs.

#include "guest.h"

static JSValue take_array(Cursor* cursor, JSContext* ctx) {
  uint32_t count = take_u32(cursor);
  JSValue array = JS_NewArray(ctx);
  for (uint32_t i = 0; i < count; ++i)
    JS_DefinePropertyValueUint32(ctx, array, i, value_take(cursor, ctx), JS_PROP_C_W_E);
  return array;
}

static JSValue take_object(Cursor* cursor, JSContext* ctx) {
  uint32_t count = take_u32(cursor);
  JSValue object = JS_NewObject(ctx);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t size;
    const char* key = take_string(cursor, &size);
    JSAtom atom = JS_NewAtomLen(ctx, key, size);
    JS_DefinePropertyValue(ctx, object, atom, value_take(cursor, ctx), JS_PROP_C_W_E);
    JS_FreeAtom(ctx, atom);
  }
  return object;
}

JSValue value_take(Cursor* cursor, JSContext* ctx) {
  switch (take_u8(cursor)) {
    case TAG_UNDEFINED:
      return JS_UNDEFINED;
    case TAG_NULL:
      return JS_NULL;
    case TAG_FALSE:
      return JS_FALSE;
    case TAG_TRUE:
      return JS_TRUE;
    case TAG_INT32:
      return JS_NewInt32(ctx, (int32_t)take_u32(cursor));
    case TAG_DOUBLE:
      return JS_NewFloat64(ctx, take_f64(cursor));
    case TAG_STRING:
      return take_text(cursor, ctx);
    case TAG_ARRAY:
      return take_array(cursor, ctx);
    case TAG_OBJECT:
      return take_object(cursor, ctx);
    default:
      __builtin_trap();
  }
}
