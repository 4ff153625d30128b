// Part of engine.c, which includes it after quickjs.c: what values are, what they hold,
// and values made of it.

bool engine_text(JSContext* ctx, JSValueConst string, EngineText* text) {
  text->owner = JS_ToString(ctx, string);  // of a string: itself, flat
  if (JS_IsException(text->owner)) return false;
  JSString* p = JS_VALUE_GET_STRING(text->owner);
  text->length = p->len;
  text->narrow = p->is_wide_char ? NULL : str8(p);
  text->wide = p->is_wide_char ? str16(p) : NULL;
  return true;
}

void engine_text_free(JSContext* ctx, EngineText* text) { JS_FreeValue(ctx, text->owner); }

int engine_is_plain(JSContext* ctx, JSValueConst object) {
  JSObject* p = JS_VALUE_GET_OBJ(object);
  if (p->class_id != JS_CLASS_OBJECT && p->class_id != JS_CLASS_PROXY) return 0;
  JSValue prototype = JS_GetPrototype(ctx, object);
  if (JS_IsException(prototype)) return -1;
  int plain = JS_IsNull(prototype) ||
              (JS_IsObject(prototype) &&
               JS_VALUE_GET_OBJ(prototype) == JS_VALUE_GET_OBJ(ctx->class_proto[JS_CLASS_OBJECT]));
  JS_FreeValue(ctx, prototype);
  return plain;
}

bool engine_is_immutable(JSValueConst value) {
  if (JS_VALUE_GET_TAG(value) != JS_TAG_OBJECT) return false;
  JSObject* p = JS_VALUE_GET_OBJ(value);
  if (p->class_id == JS_CLASS_ARRAY_BUFFER) return p->u.array_buffer->immutable;
  if (!is_typed_array(p->class_id) && p->class_id != JS_CLASS_DATAVIEW) return false;
  return p->u.typed_array->buffer->u.array_buffer->immutable;
}

bool engine_bytes(JSValueConst value, uint8_t** bytes, uint32_t* size) {
  if (JS_VALUE_GET_TAG(value) != JS_TAG_OBJECT) return false;
  JSObject* p = JS_VALUE_GET_OBJ(value);
  if (p->class_id == JS_CLASS_ARRAY_BUFFER || p->class_id == JS_CLASS_SHARED_ARRAY_BUFFER) {
    JSArrayBuffer* buffer = p->u.array_buffer;
    *bytes = buffer->data;
    *size = (uint32_t)buffer->byte_length;
    return !buffer->detached;
  }
  bool is_view = p->class_id == JS_CLASS_DATAVIEW;
  if (!is_view && !is_typed_array(p->class_id)) return false;
  if (is_view ? dataview_is_oob(p) : typed_array_is_oob(p)) return false;
  JSTypedArray* view = p->u.typed_array;
  JSArrayBuffer* buffer = view->buffer->u.array_buffer;
  *bytes = buffer->data + view->offset;
  if (!is_view)
    *size = p->u.array.count << typed_array_size_log2(p->class_id);
  else
    *size = view->track_rab ? (uint32_t)buffer->byte_length - view->offset : view->length;
  return true;
}

enum EngineKind engine_kind(JSValueConst value) {
  if (JS_IsSymbol(value)) return KIND_SYMBOL;
  if (!JS_IsObject(value)) return KIND_PRIMITIVE;
  JSClassID class = JS_VALUE_GET_OBJ(value)->class_id;
  if (is_typed_array(class)) return KIND_TYPED_ARRAY;
  switch (class) {
    case JS_CLASS_OBJECT:
      return KIND_OBJECT;
    case JS_CLASS_ARRAY:
      return KIND_ARRAY;
    case JS_CLASS_ERROR:
      return KIND_ERROR;
    case JS_CLASS_NUMBER:
      return KIND_NUMBER;
    case JS_CLASS_STRING:
      return KIND_STRING;
    case JS_CLASS_BOOLEAN:
      return KIND_BOOLEAN;
    case JS_CLASS_BIG_INT:
      return KIND_BIGINT;
    case JS_CLASS_DATE:
      return KIND_DATE;
    case JS_CLASS_REGEXP:
      return KIND_REGEXP;
    case JS_CLASS_ARRAY_BUFFER:
      return KIND_BUFFER;
    case JS_CLASS_SHARED_ARRAY_BUFFER:
      return KIND_SHARED_BUFFER;
    case JS_CLASS_DATAVIEW:
      return KIND_DATA_VIEW;
    case JS_CLASS_MAP:
      return KIND_MAP;
    case JS_CLASS_SET:
      return KIND_SET;
    case JS_CLASS_DOM_EXCEPTION:
      return KIND_EXCEPTION;
    default:
      return JS_VALUE_GET_OBJ(value)->is_HTMLDDA || class == JS_CLASS_C_FUNCTION ||
                     js_class_has_bytecode(class) || class == JS_CLASS_BOUND_FUNCTION ||
                     class == JS_CLASS_C_FUNCTION_DATA || class == JS_CLASS_C_CLOSURE
                 ? KIND_FUNCTION
                 : KIND_OTHER;
  }
}

bool engine_is_error(JSValueConst value) {
  enum EngineKind kind = engine_kind(value);
  return kind == KIND_ERROR || kind == KIND_EXCEPTION;
}

double engine_date(JSValueConst date) {
  JSValue value = JS_VALUE_GET_OBJ(date)->u.object_data;
  return JS_VALUE_GET_TAG(value) == JS_TAG_INT ? JS_VALUE_GET_INT(value)
                                               : JS_VALUE_GET_FLOAT64(value);
}

EngineRegExp engine_regexp(JSContext* ctx, JSValueConst regexp) {
  static const struct {
    int flag;
    char letter;
  } letters[] = {
      {LRE_FLAG_INDICES, 'd'},      {LRE_FLAG_GLOBAL, 'g'}, {LRE_FLAG_IGNORECASE, 'i'},
      {LRE_FLAG_MULTILINE, 'm'},    {LRE_FLAG_DOTALL, 's'}, {LRE_FLAG_UNICODE, 'u'},
      {LRE_FLAG_UNICODE_SETS, 'v'}, {LRE_FLAG_STICKY, 'y'},
  };
  EngineRegExp parts = {.source = js_regexp_get_source(ctx, regexp)};
  int flags = lre_get_flags(str8(JS_VALUE_GET_OBJ(regexp)->u.regexp.bytecode));
  int count = 0;
  for (size_t i = 0; i < countof(letters); ++i)
    if (flags & letters[i].flag) parts.flags[count++] = letters[i].letter;
  return parts;
}

JSValue engine_new_regexp(JSContext* ctx, JSValueConst source, JSValueConst flags) {
  JSValue code = js_compile_regexp(ctx, source, flags);
  if (JS_IsException(code)) return code;
  return js_regexp_constructor_internal(ctx, JS_UNDEFINED, JS_ToString(ctx, source), code);
}

JSValue* engine_entries(JSValueConst collection, uint32_t* count) {
  JSObject* p = JS_VALUE_GET_OBJ(collection);
  bool is_map = p->class_id == JS_CLASS_MAP;
  JSMapState* state = p->u.map_state;
  JSValue* entries = given(malloc((state->record_count * 2 + 1) * sizeof(JSValue)));
  *count = 0;
  struct list_head* link;
  list_for_each(link, &state->records) {
    JSMapRecord* record = list_entry(link, JSMapRecord, link);
    if (record->empty) continue;
    entries[(*count)++] = js_dup(record->key);
    if (is_map) entries[(*count)++] = js_dup(record->value);
  }
  return entries;
}

JSValue engine_new_collection(JSContext* ctx, enum EngineKind kind) {
  return js_map_constructor(ctx, JS_UNDEFINED, 0, NULL, kind == KIND_SET ? MAGIC_SET : 0);
}

void engine_add_entry(JSContext* ctx, JSValueConst collection, JSValueConst key,
                      JSValueConst value) {
  JSValueConst arguments[2] = {key, value};
  bool is_set = JS_VALUE_GET_OBJ(collection)->class_id == JS_CLASS_SET;
  JS_FreeValue(ctx, js_map_set(ctx, collection, 2, arguments, is_set ? MAGIC_SET : 0));
}

JSValue engine_new_bigint(JSContext* ctx, const char* decimal) {
  JSBigInt* number = js_bigint_from_string(ctx, decimal, 10);
  return number ? JS_CompactBigInt(ctx, number) : JS_ThrowRangeError(ctx, "BigInt is too large");
}

JSValue engine_new_data_view(JSContext* ctx, JSValueConst buffer) {
  JSValueConst arguments[3] = {buffer, JS_UNDEFINED, JS_UNDEFINED};
  return js_dataview_constructor(ctx, JS_UNDEFINED, 1, arguments);
}

enum { WELL_KNOWN_PREFIX = sizeof "Symbol." - 1 };

enum EngineSymbol engine_symbol(JSContext* ctx, JSValueConst symbol, JSValue* text) {
  JSAtomStruct* p = JS_VALUE_GET_PTR(symbol);
  JSAtom atom = js_get_atom_index(ctx->rt, p);
  bool is_well_known = atom >= JS_ATOM_Symbol_toPrimitive && atom <= JS_ATOM_Symbol_asyncDispose;
  if (!is_well_known && p->atom_type != JS_ATOM_TYPE_GLOBAL_SYMBOL) return SYMBOL_IS_UNIQUE;
  *text = JS_AtomToString(ctx, atom);
  if (!is_well_known) return SYMBOL_IS_GLOBAL;
  JSString* whole = JS_VALUE_GET_STRING(*text);
  JSValue name = js_sub_string(ctx, whole, WELL_KNOWN_PREFIX, (int)whole->len);
  JS_FreeValue(ctx, *text);
  *text = name;
  return SYMBOL_IS_WELL_KNOWN;
}

JSValue engine_well_known_symbol(JSContext* ctx, const char* name) {
  for (JSAtom atom = JS_ATOM_Symbol_toPrimitive; atom <= JS_ATOM_Symbol_asyncDispose; ++atom) {
    const char* text = JS_AtomToCString(ctx, atom);
    bool found = text && strcmp(text + WELL_KNOWN_PREFIX, name) == 0;
    JS_FreeCString(ctx, text);
    if (found) return JS_AtomToValue(ctx, atom);
  }
  return JS_UNDEFINED;
}

JSClassID engine_object_class(void) { return JS_CLASS_OBJECT; }

JSValue engine_get(JSContext* ctx, JSValueConst object, JSAtom name, JSValueConst receiver) {
  return JS_GetPropertyInternal(ctx, object, name, receiver, false);
}

bool engine_define_lazily(JSContext* ctx, JSValueConst object, JSAtom name,
                          const JSCFunctionListEntry* entry) {
  if (find_own_property1(JS_VALUE_GET_OBJ(object), name)) return false;
  return JS_DefineAutoInitProperty(ctx, object, name, JS_AUTOINIT_ID_PROP, (void*)entry,
                                   entry->prop_flags) >= 0;
}
