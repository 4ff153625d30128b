#include "inspector.h"
#include "web/web.h"

const InspectRule inspect_nested = {.depth = 6, .items = 100, .is_alone = false};
const InspectRule inspect_alone = {.depth = 6, .items = 100, .is_alone = true};

void inspect_begin_member(Inspector* in, Braces* braces) {
  if (braces->has_any) {
    put(in, ", ");
  } else {
    put(in, braces->open);
    put(in, " ");
  }
  braces->has_any = true;
}

static void end_members(Inspector* in, const Braces* braces) {
  if (braces->has_any)
    put(in, " ");
  else
    put(in, braces->open);
  put(in, braces->close);
}

static void put_described(Inspector* in, const JSPropertyDescriptor* descriptor) {
  bool has_setter = JS_IsObject(descriptor->setter);
  if (!(descriptor->flags & JS_PROP_GETSET))
    inspect_value(in, descriptor->value);
  else if (JS_IsObject(descriptor->getter))
    put(in, has_setter ? "[Getter/Setter]" : "[Getter]");
  else
    put(in, has_setter ? "[Setter]" : "undefined");
}

// What an own property holds. A module's binding may not have a value yet.
void inspect_property(Inspector* in, JSValueConst object, JSAtom key) {
  JSPropertyDescriptor descriptor;
  int found = JS_GetOwnProperty(in->ctx, &descriptor, object, key);
  if (found > 0) {
    put_described(in, &descriptor);
    descriptor_free(in->ctx, &descriptor);
  } else {
    if (found < 0) forget(in->ctx);
    put(in, found < 0 ? "<uninitialized>" : "undefined");
  }
}

void inspect_named(Inspector* in, Braces* braces, JSValueConst object, JSAtom key,
                   bool is_enumerable) {
  inspect_begin_member(in, braces);
  inspect_name(in, key, is_enumerable);
  put(in, ": ");
  inspect_property(in, object, key);
}

void inspect_internal(Inspector* in, Braces* braces, const char* name, JSValueConst value) {
  inspect_begin_member(in, braces);
  put(in, name);
  put(in, ": ");
  inspect_value(in, value);
}

static Keys keys_of(Inspector* in, JSValueConst object) {
  Keys keys = {0};
  int flags = JS_GPN_STRING_MASK | JS_GPN_SYMBOL_MASK | JS_GPN_SET_ENUM;
  if (engine_look(object) != LOOK_NAMESPACE) flags |= JS_GPN_ENUM_ONLY;
  if (JS_GetOwnPropertyNames(in->ctx, &keys.list, &keys.count, object, flags)) {
    forget(in->ctx);
    keys = (Keys){0};
  }
  return keys;
}

static void keys_free(Inspector* in, Keys* keys) {
  JS_FreePropertyEnum(in->ctx, keys->list, keys->count);
}

// Leaves out what has been shown: the elements of an array, and what `is_shown` tells.
typedef bool IsShown(Inspector* in, JSValueConst object, JSAtom key);

static bool is_element(Inspector* in, JSValueConst object, JSAtom key) {
  (void)object;
  uint32_t index;
  return engine_index(in->ctx, key, &index);
}

static void put_members(Inspector* in, Braces* braces, JSValueConst object, const Keys* keys,
                        IsShown* is_shown) {
  uint32_t shown = 0;
  for (uint32_t i = 0; i < keys->count; ++i) {
    JSAtom key = keys->list[i].atom;
    if (!keys->list[i].is_enumerable || (is_shown && is_shown(in, object, key))) continue;
    if (shown++ == MAX_MEMBERS || is_full(in)) {
      inspect_begin_member(in, braces);
      inspect_more(in, keys->count - i, "member");
      break;
    }
    inspect_named(in, braces, object, key, true);
  }
}

static bool has_members(Inspector* in, JSValueConst object, const Keys* keys, IsShown* is_shown) {
  for (uint32_t i = 0; i < keys->count; ++i)
    if (keys->list[i].is_enumerable && !(is_shown && is_shown(in, object, keys->list[i].atom)))
      return true;
  return false;
}

// Objects that are one text and seldom have members.

static void put_boxed(Inspector* in, JSValueConst box, const Class* class) {
  JSValue value = engine_boxed(box);
  const char* kind = JS_IsString(value)   ? "String"
                     : JS_IsBool(value)   ? "Boolean"
                     : JS_IsBigInt(value) ? "BigInt"
                     : JS_IsSymbol(value) ? "Symbol"
                                          : "Number";
  put(in, "[");
  put(in, kind);
  if (JS_IsNull(class->constructor)) {
    put(in, " (null prototype)");
  } else if (!inspect_is(in, class->constructor, kind)) {
    put(in, " (");
    inspect_line(in, class->constructor, MAX_NAME_UNITS);
    put(in, ")");
  }
  put(in, ": ");
  inspect_primitive(in, value);
  put(in, "]");
  if (JS_IsString(class->tag) && !are_same(in, class->tag, class->constructor)) {
    put(in, " [");
    inspect_line(in, class->tag, MAX_NAME_UNITS);
    put(in, "]");
  }
  JS_FreeValue(in->ctx, value);
}

static void put_date(Inspector* in, JSValueConst date) {
  JSValue text = engine_date_text(in->ctx, date);
  if (JS_IsException(text))
    forget(in->ctx);
  else
    inspect_string(in, text, MAX_NAME_UNITS);
  JS_FreeValue(in->ctx, text);
}

static void put_regexp(Inspector* in, JSValueConst regexp) {
  EngineRegExp parts = engine_regexp(in->ctx, regexp);
  put(in, "/");
  inspect_taken(in, parts.source);
  put(in, "/");
  put(in, parts.flags);
}

static void put_prefix_unless(Inspector* in, const Class* class, const char* usual) {
  if (inspect_is(in, class->constructor, usual) && JS_IsUndefined(class->tag)) return;
  inspect_prefix(in, class, usual, NO_SIZE);
}

// The text of an object that has one: true if that is all there is, unless it has members.
static bool put_base(Inspector* in, JSValueConst object, enum EngineLook look, const Class* class) {
  switch (look) {
    case LOOK_FUNCTION:
      inspect_function(in, object, class);
      return true;
    case LOOK_REGEXP:
      put_prefix_unless(in, class, "RegExp");
      put_regexp(in, object);
      return true;
    case LOOK_DATE:
      put_prefix_unless(in, class, "Date");
      put_date(in, object);
      return true;
    case LOOK_ERROR:
      inspect_error(in, object, class);
      return true;
    case LOOK_BOXED:
      put_boxed(in, object, class);
      return true;
    default:
      return false;
  }
}

// URL and URLSearchParams keep what they hold in private members.
static bool put_url(Inspector* in, JSValueConst object, const Class* class) {
  bool is_params;
  if (!inspect_is(in, class->constructor, "URL") &&
      !inspect_is(in, class->constructor, "URLSearchParams"))
    return false;
  JSValue text = web_url_text(in->ctx, object, &is_params);
  bool is_url = JS_IsString(text);
  if (is_url) {
    inspect_prefix(in, class, "Object", NO_SIZE);
    put(in, is_params ? "{ " : "{ href: ");
    inspect_quoted(in, text);
    put(in, " }");
  } else if (JS_IsException(text)) {
    forget(in->ctx);
  }
  JS_FreeValue(in->ctx, text);
  return is_url;
}

// What stands before the members, and between which braces they stand.
static Braces put_head(Inspector* in, JSValueConst object, enum EngineLook look,
                       const Class* class) {
  const Braces curly = {"{", "}", false};
  const Braces square = {"[", "]", false};
  switch (look) {
    case LOOK_ARRAY:
      if (!inspect_is(in, class->constructor, "Array") || !JS_IsUndefined(class->tag))
        inspect_prefix(in, class, "Array", inspect_length(in, object));
      return square;
    case LOOK_TYPED_ARRAY: {
      const char* name = "TypedArray";
      JSValue own = engine_class_name(in->ctx, object);
      const char* text = JS_ToCString(in->ctx, own);
      inspect_prefix(in, class, text ? text : name, engine_typed_length(object));
      JS_FreeCString(in->ctx, text);
      JS_FreeValue(in->ctx, own);
      return square;
    }
    case LOOK_MAP:
      inspect_prefix(in, class, "Map", inspect_size(object));
      return curly;
    case LOOK_SET:
      inspect_prefix(in, class, "Set", inspect_size(object));
      return curly;
    case LOOK_MAP_ITERATOR:
    case LOOK_SET_ITERATOR: {
      uint32_t count;
      bool in_pairs;
      engine_some_entries(object, NULL, 0, &count, &in_pairs);
      put(in, look == LOOK_MAP_ITERATOR ? "[Map " : "[Set ");
      put(in, in_pairs ? "Entries] " : "Iterator] ");
      return curly;
    }
    case LOOK_ARGUMENTS:
      put(in, "[Arguments] ");
      return curly;
    case LOOK_NAMESPACE:
      put(in, "[Module: null prototype] ");
      return curly;
    case LOOK_BUFFER:
    case LOOK_DATA_VIEW:
    case LOOK_PROMISE:
    case LOOK_WEAK: {
      JSValue own = engine_class_name(in->ctx, object);
      const char* text = JS_ToCString(in->ctx, own);
      inspect_prefix(in, class, text ? text : "Object", NO_SIZE);
      JS_FreeCString(in->ctx, text);
      JS_FreeValue(in->ctx, own);
      return curly;
    }
    default:
      if (!inspect_is(in, class->constructor, "Object") || !JS_IsUndefined(class->tag))
        inspect_prefix(in, class, "Object", NO_SIZE);
      return curly;
  }
}

static void put_content(Inspector* in, Braces* braces, JSValueConst object, enum EngineLook look,
                        const Keys* keys) {
  switch (look) {
    case LOOK_ARRAY:
      if (engine_has_named(object))
        inspect_sparse(in, braces, object, keys, inspect_length(in, object));
      else
        inspect_dense(in, braces, object, inspect_length(in, object));
      break;
    case LOOK_TYPED_ARRAY:
      inspect_dense(in, braces, object, engine_typed_length(object));
      break;
    case LOOK_MAP:
      inspect_entries(in, braces, object, true);
      break;
    case LOOK_SET:
    case LOOK_MAP_ITERATOR:
    case LOOK_SET_ITERATOR:
      inspect_entries(in, braces, object, false);
      break;
    case LOOK_BUFFER:
      inspect_bytes(in, braces, object);
      break;
    case LOOK_DATA_VIEW:
      inspect_view(in, braces, object);
      break;
    case LOOK_PROMISE:
      inspect_promise(in, braces, object);
      break;
    case LOOK_WEAK:
      inspect_begin_member(in, braces);
      put(in, "<items unknown>");
      break;
    default:
      break;
  }
}

// `<ref *1> ` before an object in which `[Circular *1]` was written.
static void put_reference(Inspector* in, JSValueConst object, uint32_t start) {
  for (int32_t i = 0; i < in->circular_count; ++i) {
    if (!JS_IsStrictEqual(in->ctx, in->circular[i], object)) continue;
    uint32_t end = in->out->size;
    put(in, "<ref *");
    inspect_number(in, (uint32_t)i + 1);
    put(in, "> ");
    uint8_t reference[16];
    uint32_t size = in->out->size - end;
    memcpy(reference, in->out->data + end, size);
    memmove(in->out->data + start + size, in->out->data + start, end - start);
    memcpy(in->out->data + start, reference, size);
    return;
  }
}

static bool put_circular(Inspector* in, JSValueConst object) {
  for (int32_t level = 0; level < in->level; ++level) {
    if (!JS_IsStrictEqual(in->ctx, in->seen[level], object)) continue;
    int32_t i = 0;
    while (i < in->circular_count && !JS_IsStrictEqual(in->ctx, in->circular[i], object)) ++i;
    if (i == MAX_CIRCULAR) {
      put(in, "[Circular]");
      return true;
    }
    if (i == in->circular_count) in->circular[in->circular_count++] = JS_DupValue(in->ctx, object);
    put(in, "[Circular *");
    inspect_number(in, (uint32_t)i + 1);
    put(in, "]");
    return true;
  }
  return false;
}

// "[Object]", "[Map]"
static void put_class_alone(Inspector* in, const Class* class) {
  put(in, "[");
  inspect_prefix(in, class, "Object", NO_SIZE);
  --in->out->size;
  put(in, "]");
}

// What is empty is shown whole, however deep it lies.
static bool is_empty(Inspector* in, JSValueConst object, enum EngineLook look, const Keys* keys) {
  if (keys->count > 0) return false;
  switch (look) {
    case LOOK_OBJECT:
      return true;
    case LOOK_ARRAY:
      return inspect_length(in, object) == 0;
    case LOOK_TYPED_ARRAY:
      return engine_typed_length(object) == 0;
    case LOOK_MAP:
    case LOOK_SET:
      return inspect_size(object) == 0;
    default:
      return false;
  }
}

static void put_object(Inspector* in, JSValueConst object) {
  JSContext* ctx = in->ctx;
  enum EngineLook look = engine_look(object);
  bool is_list = look == LOOK_ARRAY || look == LOOK_TYPED_ARRAY || look == LOOK_BOXED;
  IsShown* is_shown = is_list ? is_element : look == LOOK_ERROR ? inspect_is_shown_of_error : NULL;
  Class class = inspect_class_of(in, object);
  Keys keys = {0};
  if (engine_has_named(object)) keys = keys_of(in, object);
  uint32_t start = in->out->size;
  bool is_deep = in->level > in->rule.depth && !is_empty(in, object, look, &keys);
  bool has_base = put_base(in, object, look, &class);
  bool is_done = has_base && look != LOOK_ERROR && !has_members(in, object, &keys, is_shown);
  if (!is_done && !has_base) is_done = look == LOOK_OBJECT && put_url(in, object, &class);
  if (!is_done && is_deep && !has_base) put_class_alone(in, &class);
  if (!is_done && !is_deep) {
    uint32_t after_base = in->out->size;
    Braces braces = {"{", "}", false};
    if (has_base)
      put(in, " ");
    else
      braces = put_head(in, object, look, &class);
    in->seen[in->level++] = JS_DupValue(ctx, object);
    put_content(in, &braces, object, look, &keys);
    put_members(in, &braces, object, &keys, is_shown);
    if (look == LOOK_ERROR) {
      inspect_error_member(in, &braces, object, "cause");
      inspect_error_member(in, &braces, object, "errors");
    }
    JS_FreeValue(ctx, in->seen[--in->level]);
    if (has_base && !braces.has_any)
      in->out->size = after_base;
    else
      end_members(in, &braces);
    put_reference(in, object, start);
  }
  keys_free(in, &keys);
  inspect_class_free(in, &class);
}

void inspect_value(Inspector* in, JSValueConst value) {
  if (!JS_IsObject(value)) {
    inspect_primitive(in, value);
    return;
  }
  JSValueConst object = engine_unproxied(value);
  if (!JS_IsObject(object))
    put(in, "<Revoked Proxy>");
  else if (engine_lacks_stack(in->ctx))
    put(in, "[Object]");
  else if (!put_circular(in, object))
    put_object(in, object);
}

void inspect(Buffer* out, JSContext* ctx, JSValueConst value, const InspectRule* rule) {
  Inspector in = {.ctx = ctx, .out = out, .start = out->size, .rule = *rule};
  inspect_value(&in, value);
  for (int32_t i = 0; i < in.circular_count; ++i) JS_FreeValue(ctx, in.circular[i]);
}
