// Part of engine.c, which includes it after quickjs.c: what a program waits for, and what would
// follow from a timer. A promise knows who waits for it, and nobody knows the promise that it
// waits for. So each step looks at all objects. It is done once, when a program ends.

// Null if the object is no promise.
static JSPromiseData* promise_data(const JSGCObjectHeader* header) {
  if (JS_GC_TYPE(header) != JS_GC_OBJ_TYPE_JS_OBJECT) return NULL;
  const JSObject* object = (const JSObject*)header;
  return object->class_id == JS_CLASS_PROMISE ? object->u.promise_data : NULL;
}

// The waiting async function whose end settles `promise`.
static JSAsyncFunctionData* function_of(JSContext* ctx, const JSObject* promise) {
  struct list_head* el;
  list_for_each(el, &ctx->rt->gc_obj_list) {
    JSGCObjectHeader* header = list_entry(el, JSGCObjectHeader, link);
    if (JS_GC_TYPE(header) != JS_GC_OBJ_TYPE_ASYNC_FUNCTION) continue;
    JSAsyncFunctionData* function = (JSAsyncFunctionData*)header;
    if (function->is_active && settles(function->resolving_funcs[0]) == promise) return function;
  }
  return NULL;
}

static bool passes_on(const JSPromiseData* data, const JSAsyncFunctionData* function,
                      const JSObject* promise) {
  for (int i = 0; i < 2; ++i) {
    struct list_head* el;
    list_for_each(el, &data->promise_reactions[i]) {
      const JSPromiseReactionData* then = list_entry(el, JSPromiseReactionData, link);
      if (function
              ? resumes(then->handler) == function
              : settles(then->resolving_funcs[0]) == promise || settles(then->handler) == promise)
        return true;
    }
  }
  return false;
}

// The pending promise that `function` awaits. Without a function, one that settles `promise`: by
// then(), because `promise` was resolved with it, or as the first of Promise.all.
static JSObject* awaited_by(JSContext* ctx, const JSAsyncFunctionData* function,
                            const JSObject* promise) {
  struct list_head* el;
  list_for_each(el, &ctx->rt->gc_obj_list) {
    JSGCObjectHeader* header = list_entry(el, JSGCObjectHeader, link);
    JSPromiseData* data = promise_data(header);
    if (data && data->promise_state == JS_PROMISE_PENDING && passes_on(data, function, promise))
      return (JSObject*)header;
  }
  return NULL;
}

// A module's promise is settled by the engine's own functions, which lead to no async function.
// Then the way begins at the promise of any.
static JSObject* promise_of_module(JSContext* ctx) {
  struct list_head* el;
  list_for_each(el, &ctx->rt->gc_obj_list) {
    JSGCObjectHeader* header = list_entry(el, JSGCObjectHeader, link);
    if (JS_GC_TYPE(header) != JS_GC_OBJ_TYPE_ASYNC_FUNCTION) continue;
    const JSAsyncFunctionData* function = (JSAsyncFunctionData*)header;
    if (!function->is_active || !JS_IsObject(function->func_state.frame.cur_func)) continue;
    const JSObject* code = JS_VALUE_GET_OBJ(function->func_state.frame.cur_func);
    if (js_class_has_bytecode(code->class_id) &&
        code->u.func.function_bytecode->func_name == JS_ATOM__eval_)
      return settles(function->resolving_funcs[0]);
  }
  return NULL;
}

EnginePlace engine_awaiting(JSContext* ctx, JSValueConst promise) {
  enum { MOST_STEPS = 64 };
  EnginePlace place = {JS_UNDEFINED, 0};
  JSObject* awaited = JS_VALUE_GET_OBJ(promise);
  bool is_first = true;
  for (int step = 0; awaited && step < MOST_STEPS; ++step) {
    JSAsyncFunctionData* function = function_of(ctx, awaited);
    if (function) {
      const JSStackFrame* frame = &function->func_state.frame;
      const JSFunctionBytecode* code = JS_VALUE_GET_OBJ(frame->cur_func)->u.func.function_bytecode;
      if (code->filename != JS_ATOM_NULL) {  // otherwise it is ours
        JS_FreeValue(ctx, place.function);
        place.function = js_dup(frame->cur_func);
        place.offset = (uint32_t)(frame->cur_pc - code->byte_code_buf - 1);
      }
    }
    awaited = awaited_by(ctx, function, awaited);
    if (!awaited && is_first && !function) awaited = promise_of_module(ctx);
    is_first = is_first && !function;
  }
  return place;
}

static bool is_wanted_within(const JSObject* promise, int steps);

// Whether anything would follow from a reaction. It passes the answer on to a promise, or runs code
// whose own promise is next. Something follows, unless that is one for which somebody has stopped
// waiting.
static bool follows(const JSPromiseReactionData* then, int steps) {
  const JSAsyncFunctionData* function = resumes(then->handler);
  const JSObject* next = settles(then->handler);
  if (!next) next = settles(function ? function->resolving_funcs[0] : then->resolving_funcs[0]);
  if (!next) return true;
  const JSPromiseData* data = next->u.promise_data;
  return data->promise_state == JS_PROMISE_PENDING &&
         (!data->is_handled || is_wanted_within(next, steps));
}

static bool is_wanted_within(const JSObject* promise, int steps) {
  const JSPromiseData* data = promise->u.promise_data;
  if (data->promise_state != JS_PROMISE_PENDING) return false;
  if (steps == 0) return true;
  struct list_head* reaction;
  list_for_each(reaction, &data->promise_reactions[0]) {
    if (follows(list_entry(reaction, JSPromiseReactionData, link), steps - 1)) return true;
  }
  return false;
}

// Whether anything would follow if the promise were settled: somebody waits for it who has not
// stopped waiting, as the promise of Promise.race has when another was faster.
static bool is_wanted(const JSObject* promise) {
  enum { MOST_STEPS = 16 };
  return is_wanted_within(promise, MOST_STEPS);
}

bool engine_is_wanted(JSContext* ctx, JSValueConst promise) {
  (void)ctx;
  return is_wanted(JS_VALUE_GET_OBJ(promise));
}

// A function that only settles a promise which nobody wants does nothing that is missed. So does
// one that was given such a promise's functions: `() => reject(new Error('timeout'))`.
bool engine_is_missed(JSContext* ctx, JSValueConst function) {
  (void)ctx;
  const JSObject* promise = settles(function);
  if (promise) return is_wanted(promise);
  const JSObject* object = JS_VALUE_GET_OBJ(function);
  if (!js_class_has_bytecode(object->class_id)) return true;
  const JSFunctionBytecode* code = object->u.func.function_bytecode;
  if (code->filename == JS_ATOM_NULL) return false;  // ours: AbortSignal.timeout
  for (int i = 0; i < code->closure_var_count; ++i) {
    const JSVarRef* variable = object->u.func.var_refs ? object->u.func.var_refs[i] : NULL;
    const JSObject* settled = variable ? settles(*variable->pvalue) : NULL;
    if (settled && !is_wanted(settled)) return false;
  }
  return true;
}
