// Values as JSON.stringify has them: toJSON is called, a Date is its text.
//
// VALUES_JSON lets nothing vanish: where JSON.stringify would write `{}` or `null` for a value that
// holds more, such as a Map, an error or NaN, the value is refused with its place. What it does for
// the walk of values_out.c comes first here. VALUES_STRINGIFY is JSON.stringify itself, whose
// outcome the walk then writes.

#include "walk.h"

// The key by which the walk has come to a value, as toJSON gets it.
static JSValue key_of_part(Walk* walk) {
  if (walk->depth == 0) return JS_NewString(walk->ctx, "");
  const Step* step = &walk->path[walk->depth - 1];
  if (step->key != JS_ATOM_NULL) return JS_AtomToString(walk->ctx, step->key);
  JSValue index = JS_NewUint32(walk->ctx, step->index);
  return JS_ToString(walk->ctx, index);
}

JSValue json_value(Walk* walk, JSValue value) {
  JSContext* ctx = walk->ctx;
  if (!JS_IsObject(value) && !JS_IsBigInt(value)) return value;
  JSValue to_json = JS_GetProperty(ctx, value, walk->to_json);
  JSValue said = value;
  if (JS_IsFunction(ctx, to_json)) {
    JSValue key = key_of_part(walk);
    said = JS_Call(ctx, to_json, value, 1, (JSValueConst*)&key);
    JS_FreeValue(ctx, key);
    JS_FreeValue(ctx, value);
  } else if (JS_IsException(to_json)) {
    JS_FreeValue(ctx, value);
    said = JS_EXCEPTION;
  }
  JS_FreeValue(ctx, to_json);
  if (JS_IsException(said)) walk_refuse_throw(walk);
  return said;
}

bool json_leaves_out(JSContext* ctx, JSValueConst value) {
  return JS_IsFunction(ctx, value) || JS_IsSymbol(value);
}

// Headers, for example, or an instance of a class whose members are private: JSON.stringify would
// make `{}` of it.
static bool put_instance(Walk* walk, JSValueConst object) {
  uint32_t count_at = walk->out->size + 1;
  put_u8(walk->out, TAG_OBJECT);
  if (!walk_members(walk, object, NULL)) return false;
  uint32_t count;
  memcpy(&count, walk->out->data + count_at, sizeof count);
  if (count > 0) return true;
  --walk->depth;  // it is the object itself, not a part of it
  return walk_refuse_object(walk, object);
}

bool json_object(Walk* walk, JSValueConst object) {
  switch (engine_kind(object)) {
    case KIND_NUMBER:
    case KIND_STRING:
    case KIND_BOOLEAN: {
      JSValue primitive = engine_boxed(object);
      bool good = walk_any(walk, primitive);
      JS_FreeValue(walk->ctx, primitive);
      return good;
    }
    case KIND_OBJECT:
      return put_instance(walk, object);
    default:
      if (JS_IsProxy(object)) return put_instance(walk, object);
      --walk->depth;
      return walk_refuse_object(walk, object);
  }
}

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
  bool good = value_put_walked(VALUES_STRINGIFY, buffer, ctx, plain, refused);
  JS_FreeValue(ctx, plain);
  return good;
}

bool value_put_by(enum Values rule, Buffer* buffer, JSContext* ctx, JSValueConst value,
                  Refused* refused) {
  if (rule == VALUES_STRINGIFY && !JS_IsUndefined(value))
    return put_json(buffer, ctx, value, refused);
  return value_put_walked(rule, buffer, ctx, value, refused);
}

bool value_put(Buffer* buffer, JSContext* ctx, JSValueConst value, Refused* refused) {
  return value_put_by((enum Values)guest_limits.values, buffer, ctx, value, refused);
}
