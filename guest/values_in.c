// Bytes from the host into JavaScript values. Properties are defined, not set: `__proto__` is an
// ordinary key here, and no setter of the program runs.
//
// The host is trusted, so nothing is checked: the host's writer counts right, and it limits the
// depth that take() recurses to.

#include "guest.h"
#include "web/web.h"

// The state of the message that is being read: whether it may be rich, the objects that have a
// number (TAG_SAME), borrowed from the value that is being made, and the first error. One message
// at a time is read, since nothing here runs code of the program.
static bool is_numbering;
static JSValue* numbered;
static uint32_t numbered_count, numbered_capacity;
static JSValue failure;
static bool has_failed;

static void number(JSValueConst object) {
  if (!is_numbering) return;
  if (numbered_count == numbered_capacity) {
    numbered_capacity = numbered_capacity ? numbered_capacity * 2 : 16;
    numbered = realloc(numbered, numbered_capacity * sizeof *numbered);
    if (!numbered) __builtin_trap();
  }
  numbered[numbered_count++] = object;
}

static JSValue take(Cursor* cursor, JSContext* ctx);

// A bad regular expression or a bigint that is too large does not stop the reading. The message is
// read to its end and then fails as a whole.
static JSValue made(JSContext* ctx, JSValue value) {
  if (!JS_IsException(value)) return value;
  JSValue thrown = JS_GetException(ctx);
  if (has_failed)
    JS_FreeValue(ctx, thrown);
  else
    failure = thrown;
  has_failed = true;
  return JS_NULL;
}

static JSValue take_array(Cursor* cursor, JSContext* ctx) {
  uint32_t count = take_u32(cursor);
  JSValue array = JS_NewArray(ctx);
  number(array);
  bool ends_in_hole = false;
  for (uint32_t i = 0; i < count; ++i) {
    ends_in_hole = *cursor->at == TAG_HOLE;
    if (ends_in_hole)
      ++cursor->at;
    else
      JS_DefinePropertyValueUint32(ctx, array, i, take(cursor, ctx), JS_PROP_C_W_E);
  }
  if (ends_in_hole) JS_SetLength(ctx, array, count);
  return array;
}

static void take_members(Cursor* cursor, JSContext* ctx, JSValueConst object) {
  for (uint32_t count = take_u32(cursor); count > 0; --count) {
    uint32_t size;
    const char* key = take_string(cursor, &size);
    JSAtom atom = JS_NewAtomLen(ctx, key, size);
    JS_DefinePropertyValue(ctx, object, atom, take(cursor, ctx), JS_PROP_C_W_E);
    JS_FreeAtom(ctx, atom);
  }
}

static JSValue take_object(Cursor* cursor, JSContext* ctx) {
  JSValue object = JS_NewObject(ctx);
  number(object);
  take_members(cursor, ctx, object);
  return object;
}

static JSValue take_same(Cursor* cursor, JSContext* ctx) {
  return JS_DupValue(ctx, numbered[take_u32(cursor)]);
}

static JSValue take_bigint(Cursor* cursor, JSContext* ctx) {
  uint32_t size;
  const char* digits = take_string(cursor, &size);
  char* text = malloc((size_t)size + 1);
  if (!text) __builtin_trap();
  memcpy(text, digits, size);
  text[size] = 0;
  JSValue value = made(ctx, engine_new_bigint(ctx, text));
  free(text);
  return value;
}

static JSValue take_symbol(Cursor* cursor, JSContext* ctx) {
  uint8_t sort = take_u8(cursor);
  JSValue text = take_text(cursor, ctx);
  const char* key = JS_ToCString(ctx, text);
  JSValue symbol =
      sort == SYMBOL_GLOBAL ? JS_NewSymbol(ctx, key, true) : engine_well_known_symbol(ctx, key);
  JS_FreeCString(ctx, key);
  JS_FreeValue(ctx, text);
  return symbol;
}

static JSValue take_regexp(Cursor* cursor, JSContext* ctx) {
  JSValue source = take_text(cursor, ctx);
  JSValue flags = take_text(cursor, ctx);
  JSValue regexp = made(ctx, engine_new_regexp(ctx, source, flags));
  JS_FreeValue(ctx, source);
  JS_FreeValue(ctx, flags);
  return regexp;
}

static JSValue take_url(Cursor* cursor, JSContext* ctx, bool is_params) {
  JSValue text = take_text(cursor, ctx);
  JSValue url = made(ctx, web_new_url(ctx, text, is_params));
  JS_FreeValue(ctx, text);
  return url;
}

static JSValue view_of(JSContext* ctx, JSValueConst buffer, uint8_t sort) {
  static const uint8_t types[] = {
      [BYTES_BUFFER] = JS_TYPED_ARRAY_UINT8,       [BYTES_INT8] = JS_TYPED_ARRAY_INT8,
      [BYTES_UINT8] = JS_TYPED_ARRAY_UINT8,        [BYTES_UINT8_CLAMPED] = JS_TYPED_ARRAY_UINT8C,
      [BYTES_INT16] = JS_TYPED_ARRAY_INT16,        [BYTES_UINT16] = JS_TYPED_ARRAY_UINT16,
      [BYTES_INT32] = JS_TYPED_ARRAY_INT32,        [BYTES_UINT32] = JS_TYPED_ARRAY_UINT32,
      [BYTES_FLOAT32] = JS_TYPED_ARRAY_FLOAT32,    [BYTES_FLOAT64] = JS_TYPED_ARRAY_FLOAT64,
      [BYTES_BIGINT64] = JS_TYPED_ARRAY_BIG_INT64, [BYTES_BIGUINT64] = JS_TYPED_ARRAY_BIG_UINT64,
  };
  if (sort == BYTES_DATA_VIEW) return engine_new_data_view(ctx, buffer);
  return JS_NewTypedArray(ctx, 1, &buffer, types[sort]);
}

static JSValue take_bytes(Cursor* cursor, JSContext* ctx) {
  uint8_t sort = take_u8(cursor);
  uint32_t size;
  const char* content = take_string(cursor, &size);
  JSValue buffer = JS_NewArrayBufferCopy(ctx, (const uint8_t*)content, size);
  JSValue value = buffer;
  if (sort != BYTES_ARRAY_BUFFER) {
    value = made(ctx, view_of(ctx, buffer, sort));
    JS_FreeValue(ctx, buffer);
  }
  number(value);
  return value;
}

static JSValue take_collection(Cursor* cursor, JSContext* ctx, enum EngineKind kind) {
  JSValue collection = engine_new_collection(ctx, kind);
  number(collection);
  for (uint32_t count = take_u32(cursor); count > 0; --count) {
    JSValue key = take(cursor, ctx);
    JSValue value = kind == KIND_MAP ? take(cursor, ctx) : JS_UNDEFINED;
    engine_add_entry(ctx, collection, key, value);
    JS_FreeValue(ctx, key);
    JS_FreeValue(ctx, value);
  }
  return collection;
}

static JSValue take_error(Cursor* cursor, JSContext* ctx) {
  enum { HIDDEN = JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE };
  JSValue error = JS_NewError(ctx);
  number(error);
  JSValue name = take_text(cursor, ctx);
  const char* text = JS_ToCString(ctx, name);
  if (text && strcmp(text, "Error") != 0)
    JS_DefinePropertyValueStr(ctx, error, "name", JS_DupValue(ctx, name), HIDDEN);
  JS_FreeCString(ctx, text);
  JS_FreeValue(ctx, name);
  JS_DefinePropertyValueStr(ctx, error, "message", take_text(cursor, ctx), HIDDEN);
  JS_DefinePropertyValueStr(ctx, error, "stack", take(cursor, ctx), HIDDEN);
  if (take_u8(cursor)) JS_DefinePropertyValueStr(ctx, error, "cause", take(cursor, ctx), HIDDEN);
  take_members(cursor, ctx, error);
  return error;
}

static JSValue take(Cursor* cursor, JSContext* ctx) {
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
    case TAG_SAME:
      return take_same(cursor, ctx);
    case TAG_BIGINT:
      return take_bigint(cursor, ctx);
    case TAG_SYMBOL:
      return take_symbol(cursor, ctx);
    case TAG_DATE:
      return JS_NewDate(ctx, take_f64(cursor));
    case TAG_REGEXP:
      return take_regexp(cursor, ctx);
    case TAG_URL:
      return take_url(cursor, ctx, false);
    case TAG_URL_SEARCH_PARAMS:
      return take_url(cursor, ctx, true);
    case TAG_BYTES:
      return take_bytes(cursor, ctx);
    case TAG_MAP:
      return take_collection(cursor, ctx, KIND_MAP);
    case TAG_SET:
      return take_collection(cursor, ctx, KIND_SET);
    case TAG_ERROR:
      return take_error(cursor, ctx);
    default:
      __builtin_trap();
  }
}

static JSValue take_whole(Cursor* cursor, JSContext* ctx, bool is_rich) {
  is_numbering = is_rich;
  has_failed = false;
  numbered_count = 0;
  JSValue value = take(cursor, ctx);
  if (!has_failed) return value;
  JS_FreeValue(ctx, value);
  return JS_Throw(ctx, failure);
}

JSValue value_take(Cursor* cursor, JSContext* ctx) {
  return take_whole(cursor, ctx, guest_limits.values != VALUES_STRICT);
}

JSValue value_take_rich(Cursor* cursor, JSContext* ctx) { return take_whole(cursor, ctx, true); }
