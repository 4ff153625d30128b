// Part of engine.c, which includes it after quickjs.c: what the inspector of console.c asks of
// values. Nothing here runs code of a program: no getter, no trap of a Proxy, no toJSON.

enum { MOST_PROTOTYPES = 1000, MOST_PROXIES = 100 };

// The value of an own data property, which the object keeps; null if there is none.
static const JSValue* own_data(JSContext* ctx, JSObject* p, JSAtom name) {
  cordon_with_names(ctx, p);
  JSProperty* property;
  JSShapeProperty* shape = find_own_property(&property, p, name);
  if (shape && (shape->flags & JS_PROP_TMASK) == JS_PROP_AUTOINIT) {
    if (JS_AutoInitProperty(ctx, p, name, property, shape)) return NULL;
    shape = find_own_property(&property, p, name);
  }
  if (!shape || (shape->flags & JS_PROP_TMASK) != JS_PROP_NORMAL) return NULL;
  return &property->u.value;
}

// The prototype of `p`; null if it has none, or if only the trap of a Proxy would know.
static JSObject* prototype_of(const JSObject* p) {
  return p->class_id == JS_CLASS_PROXY ? NULL : p->shape->proto;
}

static const JSValue* inherited_data(JSContext* ctx, JSObject* p, JSAtom name) {
  for (int i = 0; p && i < MOST_PROTOTYPES; ++i, p = prototype_of(p)) {
    cordon_with_names(ctx, p);
    if (p->class_id != JS_CLASS_PROXY && find_own_property1(p, name)) return own_data(ctx, p, name);
  }
  return NULL;
}

JSValue engine_data(JSContext* ctx, JSValueConst object, const char* name, bool inherited) {
  JSAtom atom = JS_NewAtom(ctx, name);
  JSObject* p = JS_VALUE_GET_OBJ(object);
  const JSValue* value = inherited ? inherited_data(ctx, p, atom) : own_data(ctx, p, atom);
  JS_FreeAtom(ctx, atom);
  return value ? js_dup(*value) : JS_UNINITIALIZED;
}

// Whether the object says itself what JSON has of it. (What a getter or a Proxy would give is not
// known here.)
static bool has_to_json(JSContext* ctx, JSObject* p) {
  const JSValue* method = inherited_data(ctx, p, JS_ATOM_toJSON);
  return method && JS_IsFunction(ctx, *method);
}

typedef struct {
  JSContext* ctx;
  uint32_t left;  // values that may yet be looked at
} Carrying;

enum { MOST_JSON_VALUES = 1 << 22, MOST_JSON_DEPTH = 1000, STACK_OF_A_LEVEL = 1024 };

static bool is_carried(Carrying* carrying, JSValueConst value, uint32_t depth);

// Whether JSON carries all enumerable own properties, except `left_out`, and how many they are.
static bool are_properties_carried(Carrying* carrying, JSObject* p, uint32_t depth,
                                   uint32_t* count) {
  // No code of a program runs meanwhile, so neither the shape nor the properties move.
  const JSShapeProperty* property = get_shape_prop(p->shape);
  *count = 0;
  for (int i = 0; i < p->shape->prop_count; ++i, ++property) {
    if (property->atom == JS_ATOM_NULL || !(property->flags & JS_PROP_ENUMERABLE)) continue;
    if ((property->flags & JS_PROP_TMASK) != JS_PROP_NORMAL) return false;
    if (!__JS_AtomIsTaggedInt(property->atom)) {
      if (p->class_id == JS_CLASS_ARRAY) return false;
      JSAtomKindEnum kind = JS_AtomGetKind(carrying->ctx, property->atom);
      if (kind == JS_ATOM_KIND_PRIVATE) continue;
      if (kind == JS_ATOM_KIND_SYMBOL) return false;
    }
    if (!is_carried(carrying, p->prop[i].u.value, depth)) return false;
    ++*count;
  }
  return true;
}

static bool is_array_carried(Carrying* carrying, JSObject* p, uint32_t depth) {
  uint32_t count;
  if (!are_properties_carried(carrying, p, depth, &count)) return false;
  uint32_t length;
  if (JS_ToUint32(carrying->ctx, &length, p->prop[0].u.value)) return false;
  if (!p->fast_array) return count == length;
  if (count != 0 || p->u.array.count != length) return false;
  for (uint32_t i = 0; i < length; ++i)
    if (!is_carried(carrying, p->u.array.u.values[i], depth)) return false;
  return true;
}

static bool is_carried(Carrying* carrying, JSValueConst value, uint32_t depth) {
  JSContext* ctx = carrying->ctx;
  if (carrying->left-- == 0) return false;
  switch (JS_VALUE_GET_NORM_TAG(value)) {
    case JS_TAG_INT:
    case JS_TAG_BOOL:
    case JS_TAG_NULL:
    case JS_TAG_STRING:
    case JS_TAG_STRING_ROPE:
      return true;
    case JS_TAG_FLOAT64: {
      double number = JS_VALUE_GET_FLOAT64(value);
      return isfinite(number) && !(number == 0 && signbit(number));
    }
    case JS_TAG_OBJECT:
      break;
    default:
      return false;
  }
  JSObject* p = JS_VALUE_GET_OBJ(value);
  if (depth == MOST_JSON_DEPTH || js_check_stack_overflow(ctx->rt, STACK_OF_A_LEVEL)) return false;
  JSObject* prototype = prototype_of(p);
  uint32_t count;
  switch (p->class_id) {
    case JS_CLASS_ARRAY:
      if (prototype != JS_VALUE_GET_OBJ(ctx->class_proto[JS_CLASS_ARRAY])) break;
      return is_array_carried(carrying, p, depth + 1);
    case JS_CLASS_OBJECT:
      if (prototype && prototype != JS_VALUE_GET_OBJ(ctx->class_proto[JS_CLASS_OBJECT])) break;
      cordon_with_names(ctx, p);
      if (find_own_property1(p, JS_ATOM_toJSON)) break;
      return are_properties_carried(carrying, p, depth + 1, &count);
    case JS_CLASS_DATE:
      if (!isfinite(engine_date(value))) return false;
      break;
    case JS_CLASS_RAWJSON:
      return true;
    case JS_CLASS_PROXY:
      return false;
    default:
      if (JS_IsFunction(ctx, value)) return false;
  }
  return has_to_json(ctx, p);
}

bool engine_json_carries(JSContext* ctx, JSValueConst value) {
  Carrying carrying = {ctx, MOST_JSON_VALUES};
  return is_carried(&carrying, value, 0);
}

bool engine_lacks_stack(JSContext* ctx) { return js_check_stack_overflow(ctx->rt, 16384); }

enum EngineLook engine_look(JSValueConst object) {
  JSObject* p = JS_VALUE_GET_OBJ(object);
  if (is_typed_array(p->class_id)) return LOOK_TYPED_ARRAY;
  switch (p->class_id) {
    case JS_CLASS_ARRAY:
      return LOOK_ARRAY;
    case JS_CLASS_ARGUMENTS:
    case JS_CLASS_MAPPED_ARGUMENTS:
      return LOOK_ARGUMENTS;
    case JS_CLASS_ERROR:
    case JS_CLASS_DOM_EXCEPTION:
      return LOOK_ERROR;
    case JS_CLASS_NUMBER:
    case JS_CLASS_STRING:
    case JS_CLASS_BOOLEAN:
    case JS_CLASS_SYMBOL:
    case JS_CLASS_BIG_INT:
      return LOOK_BOXED;
    case JS_CLASS_DATE:
      return LOOK_DATE;
    case JS_CLASS_REGEXP:
      return LOOK_REGEXP;
    case JS_CLASS_ARRAY_BUFFER:
    case JS_CLASS_SHARED_ARRAY_BUFFER:
      return LOOK_BUFFER;
    case JS_CLASS_DATAVIEW:
      return LOOK_DATA_VIEW;
    case JS_CLASS_MAP:
      return LOOK_MAP;
    case JS_CLASS_SET:
      return LOOK_SET;
    case JS_CLASS_MAP_ITERATOR:
      return LOOK_MAP_ITERATOR;
    case JS_CLASS_SET_ITERATOR:
      return LOOK_SET_ITERATOR;
    case JS_CLASS_WEAKMAP:
    case JS_CLASS_WEAKSET:
      return LOOK_WEAK;
    case JS_CLASS_PROMISE:
      return LOOK_PROMISE;
    case JS_CLASS_MODULE_NS:
      return LOOK_NAMESPACE;
    default:
      return engine_kind(object) == KIND_FUNCTION ? LOOK_FUNCTION : LOOK_OBJECT;
  }
}

JSValueConst engine_unproxied(JSValueConst object) {
  for (int i = 0; i < MOST_PROXIES && JS_IsObject(object); ++i) {
    JSObject* p = JS_VALUE_GET_OBJ(object);
    if (p->class_id != JS_CLASS_PROXY) return object;
    if (p->u.proxy_data->is_revoked) return JS_NULL;
    object = p->u.proxy_data->target;
  }
  return JS_NULL;
}

static bool is_among_prototypes(const JSObject* p, JSValueConst candidate) {
  if (!JS_IsObject(candidate)) return false;
  p = prototype_of(p);
  for (int i = 0; p && i < MOST_PROTOTYPES; ++i, p = prototype_of(p))
    if (p == JS_VALUE_GET_OBJ(candidate)) return true;
  return false;
}

static const JSValue* name_of_constructor(JSContext* ctx, const JSObject* instance,
                                          JSValueConst constructor) {
  if (!JS_IsFunction(ctx, constructor)) return NULL;
  JSObject* p = JS_VALUE_GET_OBJ(constructor);
  if (p->class_id == JS_CLASS_PROXY) return NULL;
  const JSValue* name = own_data(ctx, p, JS_ATOM_name);
  if (!name || !JS_IsString(*name) || JS_IsEmptyString(*name)) return NULL;
  const JSValue* prototype = own_data(ctx, p, JS_ATOM_prototype);
  return prototype && is_among_prototypes(instance, *prototype) ? name : NULL;
}

JSValue engine_constructor_name(JSContext* ctx, JSValueConst object) {
  JSObject* instance = JS_VALUE_GET_OBJ(object);
  JSObject* p = instance;
  for (int i = 0; p && i < MOST_PROTOTYPES; ++i, p = prototype_of(p)) {
    if (p->class_id == JS_CLASS_PROXY) break;
    const JSValue* constructor = own_data(ctx, p, JS_ATOM_constructor);
    const JSValue* name = constructor ? name_of_constructor(ctx, instance, *constructor) : NULL;
    if (name) return js_dup(*name);
  }
  return prototype_of(instance) ? engine_class_name(ctx, object) : JS_NULL;
}

JSValue engine_class_name(JSContext* ctx, JSValueConst object) {
  JSObject* p = JS_VALUE_GET_OBJ(object);
  return JS_AtomToString(ctx, ctx->rt->class_array[p->class_id].class_name);
}

JSValue engine_tag(JSContext* ctx, JSValueConst object) {
  JSObject* p = JS_VALUE_GET_OBJ(object);
  cordon_with_names(ctx, p);
  const JSShapeProperty* own = find_own_property1(p, JS_ATOM_Symbol_toStringTag);
  if (own && (own->flags & JS_PROP_ENUMERABLE)) return JS_UNDEFINED;  // it is shown as a member
  const JSValue* tag = inherited_data(ctx, p, JS_ATOM_Symbol_toStringTag);
  return tag && JS_IsString(*tag) && !JS_IsEmptyString(*tag) ? js_dup(*tag) : JS_UNDEFINED;
}

JSValue engine_super(JSValueConst function) {
  JSObject* p = prototype_of(JS_VALUE_GET_OBJ(function));
  return p ? js_dup(JS_MKPTR(JS_TAG_OBJECT, p)) : JS_NULL;
}

enum EngineFunction engine_function(JSValueConst function) {
  static const char word[] = "class";
  JSObject* p = JS_VALUE_GET_OBJ(function);
  if (!js_class_has_bytecode(p->class_id)) return FUNCTION_PLAIN;
  const JSFunctionBytecode* code = p->u.func.function_bytecode;
  const size_t length = sizeof word - 1;
  if (p->is_constructor && code->source && (size_t)code->source_len > length &&
      memcmp(code->source, word, length) == 0 &&
      !lre_js_is_ident_next((uint8_t)code->source[length]))
    return FUNCTION_CLASS;
  switch (code->func_kind) {
    case JS_FUNC_GENERATOR:
      return FUNCTION_GENERATOR;
    case JS_FUNC_ASYNC:
      return FUNCTION_ASYNC;
    case JS_FUNC_ASYNC_GENERATOR:
      return FUNCTION_ASYNC_GENERATOR;
    default:
      return FUNCTION_PLAIN;
  }
}

JSValue engine_boxed(JSValueConst box) { return js_dup(JS_VALUE_GET_OBJ(box)->u.object_data); }

bool engine_has_named(JSValueConst object) {
  JSObject* p = JS_VALUE_GET_OBJ(object);
  if (p->class_id == JS_CLASS_ARRAY) {
    JSValueConst length = p->prop[0].u.value;
    bool is_dense = p->fast_array && JS_VALUE_GET_TAG(length) == JS_TAG_INT &&
                    JS_VALUE_GET_INT(length) == (int)p->u.array.count;
    return !is_dense || p->shape->prop_count > 1;
  }
  return !is_typed_array(p->class_id) || p->shape->prop_count > 0;
}

uint32_t engine_typed_length(JSValueConst array) {
  JSObject* p = JS_VALUE_GET_OBJ(array);
  return typed_array_is_oob(p) ? 0 : p->u.array.count;
}

JSValue engine_view_buffer(JSValueConst view, uint32_t* offset) {
  JSTypedArray* typed = JS_VALUE_GET_OBJ(view)->u.typed_array;
  *offset = (uint32_t)typed->offset;
  return js_dup(JS_MKPTR(JS_TAG_OBJECT, typed->buffer));
}

bool engine_index(JSContext* ctx, JSAtom atom, uint32_t* index) {
  return JS_AtomIsArrayIndex(ctx, index, atom);
}

uint32_t engine_some_entries(JSValueConst collection, JSValue* entries, uint32_t most,
                             uint32_t* count, bool* in_pairs) {
  JSObject* p = JS_VALUE_GET_OBJ(collection);
  bool is_map = p->class_id == JS_CLASS_MAP;
  struct list_head* link = NULL;
  JSIteratorKindEnum kind = is_map ? JS_ITERATOR_KIND_KEY_AND_VALUE : JS_ITERATOR_KIND_KEY;
  *count = 0;
  *in_pairs = is_map;
  if (p->class_id == JS_CLASS_MAP_ITERATOR || p->class_id == JS_CLASS_SET_ITERATOR) {
    const JSMapIteratorData* data = p->u.map_iterator_data;
    if (!data || JS_IsUndefined(data->obj)) return 0;
    is_map = p->class_id == JS_CLASS_MAP_ITERATOR;
    kind = data->kind;
    *in_pairs = kind == JS_ITERATOR_KIND_KEY_AND_VALUE;
    p = JS_VALUE_GET_OBJ(data->obj);
    if (data->cur_record) link = data->cur_record->link.next;
  }
  JSMapState* state = p->u.map_state;
  if (!link) link = state->records.next;
  uint32_t written = 0;
  for (; link != &state->records; link = link->next) {
    JSMapRecord* record = list_entry(link, JSMapRecord, link);
    if (record->empty) continue;
    if ((*count)++ >= most) continue;
    JSValueConst value = is_map ? record->value : record->key;
    entries[written++] = js_dup(kind == JS_ITERATOR_KIND_VALUE ? value : record->key);
    if (*in_pairs) entries[written++] = js_dup(value);
  }
  return written;
}

static const char* first_frame(const char* stack) {
  for (const char* line = stack; line; line = strchr(line, '\n')) {
    if (*line == '\n') ++line;
    const char* word = line + strspn(line, " \t");
    if (word > line && strncmp(word, "at ", 3) == 0) return line;
  }
  return NULL;
}

static JSValue error_header(JSContext* ctx, JSValueConst error) {
  JSValue name = engine_error_text(ctx, error, true);
  JSValue message = engine_error_text(ctx, error, false);
  if (!JS_IsString(name) || !JS_IsString(message)) {
    JS_FreeValue(ctx, name);
    JS_FreeValue(ctx, message);
    return JS_UNDEFINED;
  }
  return JS_ConcatString(ctx, JS_ConcatString3(ctx, "", name, ": "), message);
}

// The frames in a stack that the engine does not know: a copy's, or one of a program's own making.
// Below the name and the message, since a message may look like frames.
static JSValue frames_in(JSContext* ctx, JSValueConst error, JSValueConst stack) {
  JSValue header = error_header(ctx, error);
  size_t size = 0;
  const char* text = JS_ToCString(ctx, stack);
  const char* above = JS_IsString(header) ? JS_ToCStringLen(ctx, &size, header) : NULL;
  const char* rest = text && above && strncmp(text, above, size) == 0 ? text + size : text;
  const char* frames = rest ? first_frame(rest) : NULL;
  JSValue found = frames ? JS_NewString(ctx, frames) : JS_UNDEFINED;
  JS_FreeCString(ctx, above);
  JS_FreeCString(ctx, text);
  JS_FreeValue(ctx, header);
  if (!JS_IsException(found)) return found;
  JS_FreeValue(ctx, JS_GetException(ctx));
  return JS_UNDEFINED;
}

// Whether `stack` is what the engine made of these frames, with any text above them.
static bool ends_in_frames(JSContext* ctx, JSValueConst stack, JSValueConst frames) {
  size_t size = 0;
  size_t end = 0;
  const char* text = JS_ToCStringLen(ctx, &size, stack);
  const char* last = JS_ToCStringLen(ctx, &end, frames);
  if (last && end > 0) --end;  // its line break
  bool ends = text && last && size >= end && memcmp(text + size - end, last, end) == 0;
  JS_FreeCString(ctx, text);
  JS_FreeCString(ctx, last);
  return ends;
}

JSValue engine_made_at(JSContext* ctx, JSValueConst error) {
  (void)ctx;
  JSObject* p = JS_VALUE_GET_OBJ(error);
  bool is_known = p->class_id == JS_CLASS_ERROR && JS_IsString(p->u.object_data);
  return is_known ? js_dup(p->u.object_data) : JS_UNDEFINED;
}

JSValue engine_error_frames(JSContext* ctx, JSValueConst error) {
  JSObject* p = JS_VALUE_GET_OBJ(error);
  JSProperty* property;
  JSShapeProperty* shape = find_own_property(&property, p, JS_ATOM_stack);
  bool is_unread = shape && (shape->flags & JS_PROP_TMASK) == JS_PROP_AUTOINIT;
  const JSValue* own = is_unread ? NULL : own_data(ctx, p, JS_ATOM_stack);
  JSValue made_at = engine_made_at(ctx, error);
  if (is_unread) return made_at;
  bool is_known =
      own && JS_IsString(*own) && JS_IsString(made_at) && ends_in_frames(ctx, *own, made_at);
  if (is_known) return made_at;
  JS_FreeValue(ctx, made_at);
  return own && JS_IsString(*own) ? frames_in(ctx, error, *own) : JS_UNDEFINED;
}

JSValue engine_error_text(JSContext* ctx, JSValueConst error, bool is_name) {
  JSObject* p = JS_VALUE_GET_OBJ(error);
  if (p->class_id == JS_CLASS_DOM_EXCEPTION) {
    const JSDOMExceptionData* data = p->u.opaque;
    return data ? js_dup(is_name ? data->name : data->message) : JS_UNDEFINED;
  }
  const JSValue* text = inherited_data(ctx, p, is_name ? JS_ATOM_name : JS_ATOM_message);
  return text && JS_IsString(*text) ? js_dup(*text) : JS_UNDEFINED;
}

JSValue engine_date_text(JSContext* ctx, JSValueConst date) {
  enum { AS_STRING = 0x13, AS_ISO_STRING = 0x23 };
  return get_date_string(ctx, date, 0, NULL,
                         isfinite(engine_date(date)) ? AS_ISO_STRING : AS_STRING);
}

bool engine_says_text(JSContext* ctx, JSValueConst object) {
  const JSValue* method = inherited_data(ctx, JS_VALUE_GET_OBJ(object), JS_ATOM_toString);
  return method && JS_VALUE_GET_TAG(*method) == JS_TAG_OBJECT &&
         js_class_has_bytecode(JS_VALUE_GET_OBJ(*method)->class_id);
}

JSValue engine_parsed_number(JSContext* ctx, JSValueConst text, bool is_whole) {
  JSValueConst arguments[2] = {text, JS_UNDEFINED};
  return is_whole ? js_parseInt(ctx, JS_UNDEFINED, 2, arguments)
                  : js_parseFloat(ctx, JS_UNDEFINED, 1, arguments);
}

double engine_now(JSContext* ctx) { return js__now_ms() - ctx->time_origin; }
