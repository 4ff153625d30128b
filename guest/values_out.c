// One pass through a JavaScript value into bytes, under the rules of what may cross to the host:
// null, booleans, finite numbers, strings, arrays and plain objects; under VALUES_RICH also what
// values_rich.c adds. Getters and Proxy traps run, because reading a property runs them. Nothing
// else of the program is called, such as iterators, except for toJSON under VALUES_JSON
// (values_json.c).
//
// Since getters run, a value can change while it is walked: an array can shrink, a property can
// vanish. So a count is either written last (put_members) or every element is written whatever it
// has become (walk_array). The walk recurses. Its depth is limited by the host and by MOST_DEPTH,
// and `path` is both the way to the innermost part, for a refusal's text, and the list of objects
// in which a cycle is looked for.
//
// A refusal unwinds the walk without restoring `depth` or the buffer. put_path() has used the path
// by then, and value_put_walked() cuts the buffer back to where it was.

#include <math.h>
#include <stdio.h>

#include "walk.h"
#include "web/web.h"

enum { MOST_DEPTH = 10000 };  // the native stack bears this many levels; the host's limit is lower

static bool is_identifier(const uint8_t* text, uint32_t size) {
  for (uint32_t i = 0; i < size; ++i) {
    uint8_t c = text[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
    if (!letter && !(i > 0 && c >= '0' && c <= '9')) return false;
  }
  return size > 0;
}

// `a[1].deep`, as the guest's author would write it.
static void put_path(Walk* walk, Buffer* where) {
  for (uint32_t i = 0; i < walk->depth && where->size < 1000; ++i) {
    Step* step = &walk->path[i];
    if (step->key == JS_ATOM_NULL) {
      char index[16];
      int size = snprintf(index, sizeof index, "[%u]", step->index);
      put_bytes(where, index, (uint32_t)size);
      continue;
    }
    size_t size = 0;
    const char* key = JS_AtomToCStringLen(walk->ctx, &size, step->key);
    if (!key) {
      JS_FreeValue(walk->ctx, JS_GetException(walk->ctx));
      continue;
    }
    if (size > 200) size = 200;
    bool plain = is_identifier((const uint8_t*)key, (uint32_t)size);
    if (!plain)
      put_bytes(where, "[\"", 2);
    else if (where->size > 0)
      put_u8(where, '.');
    put_bytes(where, key, (uint32_t)size);
    if (!plain) put_bytes(where, "\"]", 2);
    JS_FreeCString(walk->ctx, key);
  }
}

bool walk_refuse(Walk* walk, enum Refusal why) {
  walk->refused->why = why;
  put_path(walk, &walk->refused->where);
  return false;
}

// A getter or a trap threw: say what.
bool walk_refuse_throw(Walk* walk) {
  JSContext* ctx = walk->ctx;
  JSValue thrown = JS_GetException(ctx);
  JSValue text = JS_ToString(ctx, thrown);
  if (JS_IsException(text) || !put_characters(&walk->refused->more, ctx, text, 1000))
    JS_FreeValue(ctx, JS_GetException(ctx));
  JS_FreeValue(ctx, text);
  JS_FreeValue(ctx, thrown);
  return walk_refuse(walk, REFUSED_GETTER);
}

static bool has_members(JSContext* ctx, JSValueConst object) {
  JSPropertyEnum* names = NULL;
  uint32_t count = 0;
  int which = JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY;
  if (JS_GetOwnPropertyNames(ctx, &names, &count, object, which)) {
    JS_FreeValue(ctx, JS_GetException(ctx));
    return false;
  }
  JS_FreePropertyEnum(ctx, names, count);
  return count > 0;
}

static const char* url_class(JSContext* ctx, JSValueConst object) {
  bool is_params;
  JSValue text = web_url_text(ctx, object, &is_params);
  bool is_url = JS_IsString(text);
  if (JS_IsException(text)) JS_FreeValue(ctx, JS_GetException(ctx));
  JS_FreeValue(ctx, text);
  return !is_url ? NULL : is_params ? "URLSearchParams" : "URL";
}

bool walk_refuse_object(Walk* walk, JSValueConst object) {
  const char* url = url_class(walk->ctx, object);
  if (url) {
    put_bytes(&walk->refused->more, url, (uint32_t)strlen(url));
    return walk_refuse(walk, REFUSED_OBJECT);
  }
  // An ordinary object that is not plain is an instance of a class of the program's own, whose name
  // the program could make up.
  if (JS_GetClassID(object) == engine_object_class()) {
    if (has_members(walk->ctx, object)) put_u8(&walk->refused->more, 'm');
    return walk_refuse(walk, REFUSED_INSTANCE);
  }
  JSAtom name = JS_GetClassName(guest_runtime, JS_GetClassID(object));
  size_t size = 0;
  const char* text = JS_AtomToCStringLen(walk->ctx, &size, name);
  if (text) put_bytes(&walk->refused->more, text, (uint32_t)size);
  JS_FreeCString(walk->ctx, text);
  JS_FreeAtom(walk->ctx, name);
  return walk_refuse(walk, REFUSED_OBJECT);
}

bool walk_within_size(Walk* walk) {
  return walk->out->size - walk->start <= guest_limits.message_bytes;
}

static bool put_number(Walk* walk, double number) {
  if (!walk->is_rich && !isfinite(number)) return walk_refuse(walk, REFUSED_NUMBER);
  put_u8(walk->out, TAG_DOUBLE);
  put_f64(walk->out, number);
  return true;
}

bool walk_array(Walk* walk, JSValueConst array) {
  JSContext* ctx = walk->ctx;
  int64_t length = 0;
  bool has_length = JS_GetLength(ctx, array, &length) >= 0;
  // An element takes a byte at least: billions of holes are refused before they are walked.
  if (!has_length || length > guest_limits.elements || length > guest_limits.message_bytes) {
    --walk->depth;  // it is the array itself, not a part of it
    return has_length ? walk_refuse(walk, REFUSED_SIZE) : walk_refuse_throw(walk);
  }
  put_u8(walk->out, TAG_ARRAY);
  put_u32(walk->out, (uint32_t)length);
  for (uint32_t i = 0; i < (uint32_t)length; ++i) {
    walk->path[walk->depth - 1].index = i;
    JSValue element = JS_GetPropertyUint32(ctx, array, i);
    if (JS_IsException(element)) return walk_refuse_throw(walk);
    if (walk->is_json) element = json_value(walk, element);
    if (JS_IsException(element)) return false;
    bool good;
    if (JS_IsUndefined(element) && !walk->is_rich) {
      put_u8(walk->out, TAG_NULL);
      ++walk->elements;
      good = walk_within_size(walk) || walk_refuse(walk, REFUSED_SIZE);
    } else {
      good = walk_any(walk, element);
    }
    JS_FreeValue(ctx, element);
    if (!good) return false;
  }
  return true;
}

static bool put_members(Walk* walk, JSValueConst object, JSPropertyEnum* names, uint32_t count,
                        LeaveOut* leave_out) {
  JSContext* ctx = walk->ctx;
  uint32_t count_at = walk->out->size;
  put_u32(walk->out, 0);
  uint32_t written = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (leave_out && leave_out(ctx, object, names[i].atom)) continue;
    walk_at(walk, names[i].atom, 0);
    JSValue member = JS_GetProperty(ctx, object, names[i].atom);
    if (JS_IsException(member)) return walk_refuse_throw(walk);
    if (walk->is_json) member = json_value(walk, member);
    if (JS_IsException(member)) return false;
    if (JS_IsUndefined(member) && !walk->is_rich) continue;
    if (walk->is_json && json_leaves_out(ctx, member)) {
      JS_FreeValue(ctx, member);
      continue;
    }
    JSValue key = JS_AtomToString(ctx, names[i].atom);
    bool good = put_text(walk->out, ctx, key, UINT32_MAX) || walk_refuse_throw(walk);
    JS_FreeValue(ctx, key);
    good = good && walk_any(walk, member);
    JS_FreeValue(ctx, member);
    if (!good) return false;
    ++written;
  }
  set_u32(walk->out, count_at, written);
  return true;
}

bool walk_members(Walk* walk, JSValueConst object, LeaveOut* leave_out) {
  JSContext* ctx = walk->ctx;
  JSPropertyEnum* names = NULL;
  uint32_t count = 0;
  int which = JS_GPN_STRING_MASK | (leave_out ? 0 : JS_GPN_ENUM_ONLY);
  if (JS_GetOwnPropertyNames(ctx, &names, &count, object, which)) return walk_refuse_throw(walk);
  bool good = put_members(walk, object, names, count, leave_out);
  JS_FreePropertyEnum(ctx, names, count);
  return good;
}

void walk_at(Walk* walk, JSAtom key, uint32_t index) {
  walk->path[walk->depth - 1].key = key;
  walk->path[walk->depth - 1].index = index;
}

static void grow_path(Walk* walk) {
  uint32_t capacity = walk->capacity * 2;
  Step* path =
      realloc(walk->path == walk->first_steps ? NULL : walk->path, capacity * sizeof(Step));
  if (!path) __builtin_trap();
  if (walk->path == walk->first_steps) memcpy(path, walk->first_steps, sizeof walk->first_steps);
  walk->path = path;
  walk->capacity = capacity;
}

static bool put_plain_object(Walk* walk, JSValueConst object) {
  int plain = engine_is_plain(walk->ctx, object);
  if (plain == 0 && walk->is_json) return json_object(walk, object);
  if (plain <= 0) {
    --walk->depth;  // it is the object itself, not a part of it
    return plain < 0 ? walk_refuse_throw(walk) : walk_refuse_object(walk, object);
  }
  put_u8(walk->out, TAG_OBJECT);
  return walk_members(walk, object, NULL);
}

// As Array.isArray has it: a Proxy of an array is one too. No trap runs.
static bool is_array(JSContext* ctx, JSValueConst object) {
  if (!JS_IsProxy(object)) return JS_IsArray(object);
  JSValue target = JS_DupValue(ctx, object);
  while (JS_IsProxy(target)) {
    JSValue next = JS_GetProxyTarget(ctx, target);
    JS_FreeValue(ctx, target);
    target = next;
  }
  // A revoked proxy has no target, which shows when it is read.
  if (JS_IsException(target)) JS_FreeValue(ctx, JS_GetException(ctx));
  bool array = JS_IsArray(target);
  JS_FreeValue(ctx, target);
  return array;
}

static bool put_object(Walk* walk, JSValueConst object) {
  JSContext* ctx = walk->ctx;
  if (JS_IsFunction(ctx, object)) return walk_refuse(walk, REFUSED_FUNCTION);
  if (walk->is_rich && rich_is_met(walk, object)) return true;
  if (walk->depth >= guest_limits.depth || walk->depth >= MOST_DEPTH)
    return walk_refuse(walk, REFUSED_DEPTH);
  void* identity = JS_VALUE_GET_PTR(object);
  for (uint32_t i = 0; !walk->is_rich && i < walk->depth; ++i)
    if (walk->path[i].object == identity) return walk_refuse(walk, REFUSED_CYCLE);
  if (walk->depth == walk->capacity) grow_path(walk);
  walk->path[walk->depth++] = (Step){JS_ATOM_NULL, 0, identity};
  bool good = is_array(ctx, object) ? walk_array(walk, object)
              : walk->is_rich       ? rich_object(walk, object)
                                    : put_plain_object(walk, object);
  if (good) --walk->depth;
  return good;
}

bool walk_any(Walk* walk, JSValueConst value) {
  if (++walk->elements > guest_limits.elements || !walk_within_size(walk))
    return walk_refuse(walk, REFUSED_SIZE);
  int tag = JS_VALUE_GET_NORM_TAG(value);
  switch (tag) {
    case JS_TAG_UNDEFINED:
      put_u8(walk->out, TAG_UNDEFINED);
      return true;
    case JS_TAG_NULL:
      put_u8(walk->out, TAG_NULL);
      return true;
    case JS_TAG_BOOL:
      put_u8(walk->out, JS_VALUE_GET_BOOL(value) ? TAG_TRUE : TAG_FALSE);
      return true;
    case JS_TAG_INT:
      put_u8(walk->out, TAG_INT32);
      put_u32(walk->out, (uint32_t)JS_VALUE_GET_INT(value));
      return true;
    case JS_TAG_FLOAT64:
      return put_number(walk, JS_VALUE_GET_FLOAT64(value));
    case JS_TAG_STRING:
    case JS_TAG_STRING_ROPE:
      put_u8(walk->out, TAG_STRING);
      if (!put_text(walk->out, walk->ctx, value, UINT32_MAX)) return walk_refuse_throw(walk);
      return walk_within_size(walk) || walk_refuse(walk, REFUSED_SIZE);
    case JS_TAG_OBJECT:
      return put_object(walk, value);
    case JS_TAG_SYMBOL:
      return walk->is_rich ? rich_symbol(walk, value) : walk_refuse(walk, REFUSED_SYMBOL);
    default:
      return walk->is_rich ? rich_bigint(walk, value) : walk_refuse(walk, REFUSED_BIGINT);
  }
}

static bool put_as_json(Walk* walk, JSValueConst value) {
  walk->to_json = JS_NewAtom(walk->ctx, "toJSON");
  JSValue said = json_value(walk, JS_DupValue(walk->ctx, value));
  bool good = !JS_IsException(said) && walk_any(walk, said);
  JS_FreeValue(walk->ctx, said);
  JS_FreeAtom(walk->ctx, walk->to_json);
  return good;
}

bool value_put_walked(enum Values rule, Buffer* buffer, JSContext* ctx, JSValueConst value,
                      Refused* refused) {
  *refused = (Refused){0};
  Walk walk;  // first_steps stay as they are until they are used
  walk.ctx = ctx;
  walk.out = buffer;
  walk.start = buffer->size;
  walk.elements = walk.depth = 0;
  walk.capacity = sizeof walk.first_steps / sizeof *walk.first_steps;
  walk.path = walk.first_steps;
  walk.refused = refused;
  walk.is_rich = rule == VALUES_RICH;
  walk.is_json = rule == VALUES_JSON;
  walk.met = NULL;
  walk.met_count = walk.met_capacity = 0;
  bool good = walk.is_json ? put_as_json(&walk, value) : walk_any(&walk, value);
  if (!good) buffer->size = walk.start;
  if (walk.path != walk.first_steps) free(walk.path);
  if (walk.is_rich) rich_end(&walk);
  return good;
}

void refused_put(Buffer* buffer, Refused* refused) {
  put_u8(buffer, (uint8_t)refused->why);
  put_u32(buffer, refused->where.size);
  put_bytes(buffer, refused->where.data, refused->where.size);
  put_u32(buffer, refused->more.size);
  put_bytes(buffer, refused->more.data, refused->more.size);
  free(refused->where.data);
  free(refused->more.data);
}
