// Part of engine.c, which includes it after quickjs.c: below the frames of an error made behind an
// await, the async functions that wait for it, as V8 shows them. An async function has a promise,
// and the promise knows who waits for it, so each step costs the same whatever else there is.

// The promise that a resolving function settles, or null if `function` is another value.
static JSObject* settles(JSValueConst function) {
  JSPromiseFunctionData* data = JS_GetOpaque(function, JS_CLASS_PROMISE_RESOLVE_FUNCTION);
  if (!data) data = JS_GetOpaque(function, JS_CLASS_PROMISE_REJECT_FUNCTION);
  return data && JS_IsObject(data->promise) ? JS_VALUE_GET_OBJ(data->promise) : NULL;
}

static JSAsyncFunctionData* resumes(JSValueConst function) {
  if (!JS_IsObject(function)) return NULL;
  const JSObject* object = JS_VALUE_GET_OBJ(function);
  return object->class_id == JS_CLASS_ASYNC_FUNCTION_RESOLVE ? object->u.async_function_data : NULL;
}

// The promise of the async function, or of the running step of the async generator, that a frame
// belongs to.
static JSObject* promise_of_frame(const JSStackFrame* frame) {
  const JSGCObjectHeader* owner = frame->cur_gc_obj;
  if (!owner) return NULL;
  if (JS_GC_TYPE(owner) == JS_GC_OBJ_TYPE_ASYNC_FUNCTION)
    return settles(((const JSAsyncFunctionData*)owner)->resolving_funcs[0]);
  const JSObject* object = (const JSObject*)owner;
  if (JS_GC_TYPE(owner) != JS_GC_OBJ_TYPE_JS_OBJECT ||
      object->class_id != JS_CLASS_ASYNC_GENERATOR || !object->u.async_generator_data ||
      list_empty(&object->u.async_generator_data->queue))
    return NULL;
  const JSAsyncGeneratorRequest* request =
      list_entry(object->u.async_generator_data->queue.next, JSAsyncGeneratorRequest, link);
  return settles(request->resolving_funcs[0]);
}

// The data of the function that takes one element's value for Promise.all and its kin.
static const JSCFunctionDataRecord* element_of(JSValueConst function) {
  const JSCFunctionDataRecord* record = JS_GetOpaque(function, JS_CLASS_C_FUNCTION_DATA);
  return record && record->func == js_promise_all_resolve_element ? record : NULL;
}

static bool put_async_element(DynBuf* text, const JSCFunctionDataRecord* element) {
  static const char* const names[] = {
      [PROMISE_MAGIC_all] = "all",
      [PROMISE_MAGIC_allSettled] = "allSettled",
      [PROMISE_MAGIC_any] = "any",
  };
  dbuf_printf(text, "    at async Promise.%s (index %d)\n", names[element->magic & 3],
              JS_VALUE_GET_INT(element->data[1]));
  return true;
}

// False for a function of ours.
static bool put_waiting(JSContext* ctx, DynBuf* text, const JSStackFrame* frame) {
  JSFunctionBytecode* code = JS_VALUE_GET_OBJ(frame->cur_func)->u.func.function_bytecode;
  if (code->filename == JS_ATOM_NULL || !frame->cur_pc) return false;
  int column;
  int line = find_line_num(ctx, code, (uint32_t)(frame->cur_pc - code->byte_code_buf - 1), &column);
  const char* name = get_func_name(ctx, frame->cur_func);
  const char* file = JS_AtomToCString(ctx, code->filename);
  dbuf_printf(text, "    at async %s (%s:%d:%d)\n", name && *name ? name : "<anonymous>",
              file ? file : "", line, column);
  JS_FreeCString(ctx, name);
  JS_FreeCString(ctx, file);
  return true;
}

// Those that wait for `promise`, except for the first one if it is `known`.
static void put_those_who_wait(JSContext* ctx, DynBuf* text, JSObject* promise, JSValueConst known,
                               int most) {
  enum { MOST_STEPS = 64 };
  bool is_first = true;
  for (int step = 0; promise && most > 0 && step < MOST_STEPS; ++step) {
    struct list_head* waiting = &promise->u.promise_data->promise_reactions[0];
    // With more than one, none of them is the caller.
    if (list_empty(waiting) || waiting->next->next != waiting) return;
    const JSPromiseReactionData* then = list_entry(waiting->next, JSPromiseReactionData, link);
    const JSAsyncFunctionData* function = resumes(then->handler);
    const JSCFunctionDataRecord* element = element_of(then->handler);
    if (function) {
      if (!function->is_active) return;
      const JSStackFrame* frame = &function->func_state.frame;
      bool is_known = is_first && js_same_value(ctx, frame->cur_func, known);
      if (!is_known && put_waiting(ctx, text, frame)) --most;
      is_first = false;
      promise = settles(function->resolving_funcs[0]);
    } else if (element) {
      if (put_async_element(text, element)) --most;
      promise = settles(element->data[3]);
    } else {
      JSObject* adopted = settles(then->handler);
      promise = adopted ? adopted : settles(then->resolving_funcs[0]);
    }
  }
}

static void cordon_put_async_frames(JSContext* ctx, DynBuf* text, const JSStackFrame* outermost,
                                    int most) {
  put_those_who_wait(ctx, text, promise_of_frame(outermost), JS_UNDEFINED, most);
}
