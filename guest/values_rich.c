// What VALUES_RICH lets out in addition: numbers that are not finite, bigints, global and
// well-known symbols, dates, regular expressions, URLs, bytes, maps, sets, errors, objects of the
// program's own classes (as plain ones), and the same object again.
//
// The table of objects that were met (Walk::met) is a hash table with open addressing, at most half
// full. It owns a reference to each object: a getter may return a fresh object each time, and
// without the reference the next one could get the address, and so the number, of the last.

#include "walk.h"
#include "web/web.h"

static uint32_t place_of(const Walk* walk, const void* object) {
  uint32_t mask = walk->met_capacity - 1;
  uint32_t place = (uint32_t)((uintptr_t)object >> 3) * 2654435761u & mask;
  while (!JS_IsUndefined(walk->met[place].object) &&
         JS_VALUE_GET_PTR(walk->met[place].object) != object)
    place = (place + 1) & mask;
  return place;
}

static void grow_met(Walk* walk) {
  Met* old = walk->met;
  uint32_t old_capacity = walk->met_capacity;
  walk->met_capacity = old_capacity ? old_capacity * 2 : 16;
  walk->met = malloc(walk->met_capacity * sizeof(Met));
  if (!walk->met) __builtin_trap();
  for (uint32_t i = 0; i < walk->met_capacity; ++i) walk->met[i].object = JS_UNDEFINED;
  for (uint32_t i = 0; i < old_capacity; ++i)
    if (!JS_IsUndefined(old[i].object))
      walk->met[place_of(walk, JS_VALUE_GET_PTR(old[i].object))] = old[i];
  free(old);
}

// Whether the object has a number, that is, identity, on the other side. URLs, dates and regular
// expressions have none: they are equal if they say the same.
static bool is_numbered(JSContext* ctx, JSValueConst object) {
  enum EngineKind kind = engine_kind(object);
  if (kind == KIND_DATE || kind == KIND_REGEXP) return false;
  bool is_params;
  JSValue text = web_url_text(ctx, object, &is_params);
  bool is_url = !JS_IsUndefined(text);
  JS_FreeValue(ctx, text);
  return !is_url;
}

bool rich_is_met(Walk* walk, JSValueConst object) {
  if (!is_numbered(walk->ctx, object)) return false;
  if (walk->met_count * 2 >= walk->met_capacity) grow_met(walk);
  Met* met = &walk->met[place_of(walk, JS_VALUE_GET_PTR(object))];
  if (JS_IsUndefined(met->object)) {
    *met = (Met){JS_DupValue(walk->ctx, object), walk->met_count++};
    return false;
  }
  put_u8(walk->out, TAG_SAME);
  put_u32(walk->out, met->number);
  return true;
}

void rich_end(Walk* walk) {
  for (uint32_t i = 0; i < walk->met_capacity; ++i) JS_FreeValue(walk->ctx, walk->met[i].object);
  free(walk->met);
}

// Takes `string`.
static bool put_owned_text(Walk* walk, JSValue string) {
  bool good = !JS_IsException(string) && put_text(walk->out, walk->ctx, string, UINT32_MAX);
  JS_FreeValue(walk->ctx, string);
  if (!good) return walk_refuse_throw(walk);
  return walk_within_size(walk) || walk_refuse(walk, REFUSED_SIZE);
}

bool rich_symbol(Walk* walk, JSValueConst symbol) {
  JSValue text;
  enum EngineSymbol which = engine_symbol(walk->ctx, symbol, &text);
  if (which == SYMBOL_IS_UNIQUE) return walk_refuse(walk, REFUSED_SYMBOL);
  put_u8(walk->out, TAG_SYMBOL);
  put_u8(walk->out, which == SYMBOL_IS_GLOBAL ? SYMBOL_GLOBAL : SYMBOL_WELL_KNOWN);
  return put_owned_text(walk, text);
}

bool rich_bigint(Walk* walk, JSValueConst bigint) {
  put_u8(walk->out, TAG_BIGINT);
  return put_owned_text(walk, JS_ToString(walk->ctx, bigint));
}

static bool put_regexp(Walk* walk, JSValueConst regexp) {
  EngineRegExp parts = engine_regexp(walk->ctx, regexp);
  put_u8(walk->out, TAG_REGEXP);
  if (!put_owned_text(walk, parts.source)) return false;
  uint32_t size = (uint32_t)strlen(parts.flags);
  put_u32(walk->out, size);
  put_bytes(walk->out, parts.flags, size);
  return true;
}

static int bytes_sort(JSValueConst value) {
  static const int8_t sorts[] = {
      [JS_TYPED_ARRAY_UINT8C] = BYTES_UINT8_CLAMPED,
      [JS_TYPED_ARRAY_INT8] = BYTES_INT8,
      [JS_TYPED_ARRAY_UINT8] = BYTES_UINT8,
      [JS_TYPED_ARRAY_INT16] = BYTES_INT16,
      [JS_TYPED_ARRAY_UINT16] = BYTES_UINT16,
      [JS_TYPED_ARRAY_INT32] = BYTES_INT32,
      [JS_TYPED_ARRAY_UINT32] = BYTES_UINT32,
      [JS_TYPED_ARRAY_BIG_INT64] = BYTES_BIGINT64,
      [JS_TYPED_ARRAY_BIG_UINT64] = BYTES_BIGUINT64,
      [JS_TYPED_ARRAY_FLOAT16] = -1,  // no protocol has it
      [JS_TYPED_ARRAY_FLOAT32] = BYTES_FLOAT32,
      [JS_TYPED_ARRAY_FLOAT64] = BYTES_FLOAT64,
  };
  switch (engine_kind(value)) {
    case KIND_BUFFER:
      return BYTES_ARRAY_BUFFER;
    case KIND_DATA_VIEW:
      return BYTES_DATA_VIEW;
    default:
      return sorts[JS_GetTypedArrayType(value)];
  }
}

static bool refuse_itself(Walk* walk, JSValueConst object) {
  --walk->depth;  // the place is that of the object, not of a part of it
  return walk_refuse_object(walk, object);
}

static bool put_content(Walk* walk, JSValueConst value) {
  uint8_t* bytes;
  uint32_t size;
  int sort = bytes_sort(value);
  if (sort < 0 || !engine_bytes(value, &bytes, &size)) return refuse_itself(walk, value);
  if (size > guest_limits.message_bytes) return walk_refuse(walk, REFUSED_SIZE);
  put_u8(walk->out, TAG_BYTES);
  put_u8(walk->out, (uint8_t)sort);
  put_u32(walk->out, size);
  put_bytes(walk->out, bytes, size);
  return walk_within_size(walk) || walk_refuse(walk, REFUSED_SIZE);
}

static bool put_collection(Walk* walk, JSValueConst collection, bool is_map) {
  uint32_t count;
  JSValue* entries = engine_entries(collection, &count);
  put_u8(walk->out, is_map ? TAG_MAP : TAG_SET);
  put_u32(walk->out, is_map ? count / 2 : count);
  bool good = true;
  for (uint32_t i = 0; i < count; ++i) {
    walk_at(walk, JS_ATOM_NULL, is_map ? i / 2 : i);
    good = good && walk_any(walk, entries[i]);
    JS_FreeValue(walk->ctx, entries[i]);
  }
  free(entries);
  return good;
}

// The serializer's rule for the fields of an Error. It includes fields that are not enumerable,
// such as the errors of an AggregateError, but leaves out getters and what every Error has.
static bool is_no_error_field(JSContext* ctx, JSValueConst error, JSAtom key) {
  static const char* const names[] = {"name", "message", "stack", "cause"};
  const char* text = JS_AtomToCString(ctx, key);
  bool found = false;
  for (size_t i = 0; text && i < sizeof names / sizeof *names; ++i)
    found = found || strcmp(text, names[i]) == 0;
  JS_FreeCString(ctx, text);
  JSPropertyDescriptor field;
  if (found || JS_GetOwnProperty(ctx, &field, error, key) <= 0) return true;
  bool is_getter = field.flags & JS_PROP_GETSET;
  JS_FreeValue(ctx, field.value);
  JS_FreeValue(ctx, field.getter);
  JS_FreeValue(ctx, field.setter);
  return is_getter;
}

static bool put_text_of(Walk* walk, JSValueConst object, const char* key) {
  JSValue value = JS_GetPropertyStr(walk->ctx, object, key);
  JSValue text = JS_IsException(value) ? JS_EXCEPTION : JS_ToString(walk->ctx, value);
  JS_FreeValue(walk->ctx, value);
  return put_owned_text(walk, text);
}

static bool put_stack(Walk* walk, JSValueConst error) {
  JSValue stack = JS_GetPropertyStr(walk->ctx, error, "stack");
  if (JS_IsException(stack)) return walk_refuse_throw(walk);
  bool good = walk_any(walk, JS_IsString(stack) ? stack : JS_UNDEFINED);
  JS_FreeValue(walk->ctx, stack);
  return good;
}

static bool put_cause(Walk* walk, JSValueConst error) {
  JSContext* ctx = walk->ctx;
  JSAtom key = JS_NewAtom(ctx, "cause");
  int has = JS_GetOwnProperty(ctx, NULL, error, key);
  if (has > 0) walk_at(walk, key, 0);
  JSValue cause = has > 0 ? JS_GetProperty(ctx, error, key) : JS_UNDEFINED;
  bool good;
  if (has < 0 || JS_IsException(cause)) {
    good = walk_refuse_throw(walk);
  } else {
    put_u8(walk->out, has > 0);
    good = has == 0 || walk_any(walk, cause);
  }
  JS_FreeValue(ctx, cause);
  JS_FreeAtom(ctx, key);
  return good;
}

static bool put_error(Walk* walk, JSValueConst error) {
  put_u8(walk->out, TAG_ERROR);
  return put_text_of(walk, error, "name") && put_text_of(walk, error, "message") &&
         put_stack(walk, error) && put_cause(walk, error) &&
         walk_members(walk, error, is_no_error_field);
}

// True if it is a URL or search parameters of ours; `good` then says whether it was written.
static bool put_url(Walk* walk, JSValueConst object, bool* good) {
  bool is_params = false;
  JSValue text = web_url_text(walk->ctx, object, &is_params);
  if (JS_IsUndefined(text)) return false;
  put_u8(walk->out, is_params ? TAG_URL_SEARCH_PARAMS : TAG_URL);
  *good = put_owned_text(walk, text);
  return true;
}

bool rich_object(Walk* walk, JSValueConst object) {
  bool good;
  switch (engine_kind(object)) {
    case KIND_DATE:
      put_u8(walk->out, TAG_DATE);
      put_f64(walk->out, engine_date(object));
      return true;
    case KIND_REGEXP:
      return put_regexp(walk, object);
    case KIND_BUFFER:
    case KIND_DATA_VIEW:
    case KIND_TYPED_ARRAY:
      return put_content(walk, object);
    case KIND_MAP:
      return put_collection(walk, object, true);
    case KIND_SET:
      return put_collection(walk, object, false);
    case KIND_ERROR:
    case KIND_EXCEPTION:
      return put_error(walk, object);
    case KIND_OBJECT:
      if (put_url(walk, object, &good)) return good;
      break;
    default: {
      if (put_url(walk, object, &good)) return good;
      int plain = engine_is_plain(walk->ctx, object);  // a Proxy
      if (plain > 0) break;
      if (plain == 0) return refuse_itself(walk, object);
      --walk->depth;
      return walk_refuse_throw(walk);
    }
  }
  put_u8(walk->out, TAG_OBJECT);
  return walk_members(walk, object, NULL);
}
