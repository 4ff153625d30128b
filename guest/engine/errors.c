// Part of engine.c, which includes it after quickjs.c: errors with their places, and the
// names that an object has, for hints.

void engine_throw_reference_error(JSContext* ctx, const char* message) {
  JS_Throw(ctx, JS_MakeError2(ctx, JS_REFERENCE_ERROR, true, message));
}

void engine_throw_syntax_error(JSContext* ctx, const char* message, const char* file, uint32_t line,
                               uint32_t column) {
  JSValue error = JS_MakeError2(ctx, JS_SYNTAX_ERROR, false, message);
  build_backtrace(ctx, error, JS_UNDEFINED, file, (int)line, (int)column,
                  JS_BACKTRACE_FLAG_SINGLE_LEVEL);
  JS_Throw(ctx, error);
}

EnginePlace engine_caller(JSContext* ctx) {
  for (JSStackFrame* frame = ctx->rt->current_stack_frame; frame; frame = frame->prev_frame) {
    JSObject* p = JS_VALUE_GET_OBJ(frame->cur_func);
    if (!js_class_has_bytecode(p->class_id) || !frame->cur_pc) continue;
    JSFunctionBytecode* code = p->u.func.function_bytecode;
    if (code->filename == JS_ATOM_NULL) continue;  // ours
    return (EnginePlace){js_dup(frame->cur_func),
                         (uint32_t)(frame->cur_pc - code->byte_code_buf - 1)};
  }
  return (EnginePlace){JS_UNDEFINED, 0};
}

static JSValue place_line(JSContext* ctx, const char* function, JSAtom file, int line, int column) {
  const char* name = JS_AtomToCString(ctx, file);
  DynBuf text;
  js_dbuf_init(ctx, &text);
  if (function && *function)
    dbuf_printf(&text, "    at %s (%s:%d:%d)\n", function, name ? name : "", line, column);
  else
    dbuf_printf(&text, "    at %s:%d:%d\n", name ? name : "", line, column);
  JS_FreeCString(ctx, name);
  JSValue result = JS_NewStringLen(ctx, (char*)text.buf, text.size);
  dbuf_free(&text);
  return result;
}

JSValue engine_place_text(JSContext* ctx, EnginePlace place) {
  if (!JS_IsObject(place.function)) return JS_NewString(ctx, "");
  JSFunctionBytecode* code = JS_VALUE_GET_OBJ(place.function)->u.func.function_bytecode;
  int column;
  int line = find_line_num(ctx, code, place.offset, &column);
  return place_line(ctx, NULL, code->filename, line, column);
}

void engine_place_error(JSContext* ctx, JSValueConst error, EnginePlace place,
                        JSValueConst promise) {
  enum { MOST_WAITING = 9 };
  if (!JS_IsObject(place.function) || engine_kind(error) != KIND_ERROR) return;
  JSFunctionBytecode* code = JS_VALUE_GET_OBJ(place.function)->u.func.function_bytecode;
  int column;
  int line = find_line_num(ctx, code, place.offset, &column);
  const char* function = get_func_name(ctx, place.function);
  JSObject* p = JS_VALUE_GET_OBJ(error);
  JS_FreeValue(ctx, p->u.object_data);
  JSValue made_at = place_line(ctx, function, code->filename, line, column);
  const char* text = JS_ToCString(ctx, made_at);
  DynBuf lines;
  js_dbuf_init(ctx, &lines);
  dbuf_putstr(&lines, text ? text : "");
  if (JS_IsPromise(promise))
    put_those_who_wait(ctx, &lines, JS_VALUE_GET_OBJ(promise), place.function, MOST_WAITING);
  p->u.object_data = JS_NewStringLen(ctx, (char*)lines.buf, lines.size);
  dbuf_free(&lines);
  JS_FreeCString(ctx, text);
  JS_FreeValue(ctx, made_at);
  JS_FreeCString(ctx, function);
  JS_FreeValue(ctx, place.function);
}

JSValue engine_thrown_at(JSContext* ctx, JSValueConst thrown) {
  if (cordon_thrown.file == JS_ATOM_NULL || !js_same_value(ctx, thrown, cordon_thrown.value))
    return JS_UNDEFINED;
  return place_line(ctx, NULL, cordon_thrown.file, cordon_thrown.line_num, cordon_thrown.col_num);
}

void engine_note_lacking(JSContext* ctx) {
  JSValue symbol = JS_NewPrivateSymbol(ctx, "lacking");
  cordon_lacking = JS_ValueToAtom(ctx, symbol);
  JS_FreeValue(ctx, symbol);
}

bool engine_lacking(JSContext* ctx, JSValueConst thrown, JSValue* object, JSValue* name) {
  JSProperty* property;
  if (!JS_IsObject(thrown) || JS_IsProxy(thrown) ||
      !find_own_property(&property, JS_VALUE_GET_OBJ(thrown), cordon_lacking))
    return false;
  *object = JS_GetPropertyUint32(ctx, property->u.value, 0);
  *name = JS_GetPropertyUint32(ctx, property->u.value, 1);
  return true;
}

static bool each_own_name(JSContext* ctx, JSObject* p, bool is_own,
                          bool (*see)(void* opaque, const char* name, bool is_own), void* opaque) {
  cordon_with_names(ctx, p);
  for (int i = 0; i < p->shape->prop_count; ++i) {
    JSAtom atom = get_shape_prop(p->shape)[i].atom;
    if (atom == JS_ATOM_NULL || __JS_AtomIsTaggedInt(atom) ||
        JS_AtomGetKind(ctx, atom) != JS_ATOM_KIND_STRING)
      continue;
    const char* name = JS_AtomToCString(ctx, atom);
    bool goes_on = !name || see(opaque, name, is_own);
    JS_FreeCString(ctx, name);
    if (!goes_on) return false;
  }
  return true;
}

void engine_each_name(JSContext* ctx, JSValueConst object,
                      bool (*see)(void* opaque, const char* name, bool is_own), void* opaque) {
  enum { MOST_PROTOTYPES = 100 };
  if (JS_IsString(object)) object = ctx->class_proto[JS_CLASS_STRING];
  if (JS_IsNumber(object)) object = ctx->class_proto[JS_CLASS_NUMBER];
  if (!JS_IsObject(object)) return;
  JSObject* p = JS_VALUE_GET_OBJ(object);
  if (p == JS_VALUE_GET_OBJ(ctx->global_obj) &&
      !each_own_name(ctx, JS_VALUE_GET_OBJ(ctx->global_var_obj), true, see, opaque))
    return;
  for (int i = 0; p && i < MOST_PROTOTYPES && p->class_id != JS_CLASS_PROXY; ++i) {
    if (!each_own_name(ctx, p, i == 0, see, opaque)) return;
    p = p->shape->proto;
  }
}
