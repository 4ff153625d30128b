#include "engine.h"

#include "host.h"

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Weverything"
#include "quickjs.c"
#pragma clang diagnostic pop

extern bool guest_is_live;  // of guest.h, which shares names with quickjs.c

static void* given(void* memory) {
  if (memory) return memory;
  if (guest_is_live) host_grow(UINT32_MAX);  // refused, so it does not return
  __builtin_trap();
}

static void* runtime_calloc(void* opaque, size_t count, size_t size) {
  (void)opaque;
  return given(calloc(count, size));
}
static void* runtime_malloc(void* opaque, size_t size) {
  (void)opaque;
  return given(malloc(size));
}
static void runtime_free(void* opaque, void* memory) {
  (void)opaque;
  free(memory);
}
static void* runtime_realloc(void* opaque, void* memory, size_t size) {
  (void)opaque;
  return given(realloc(memory, size));
}

JSRuntime* engine_new_runtime(void) {
  static const JSMallocFunctions functions = {
      runtime_calloc, runtime_malloc, runtime_free, runtime_realloc, js__malloc_usable_size,
  };
  return JS_NewRuntime2(&functions, NULL);
}

static void start_clock(JSContext* ctx) {
  ctx->time_origin = js__now_ms();
  JSValue performance = JS_GetPropertyStr(ctx, ctx->global_obj, "performance");
  JSAtom key = JS_NewAtom(ctx, "timeOrigin");
  JSProperty* property;
  // It is not writable, so it is put in its place.
  if (find_own_property(&property, JS_VALUE_GET_OBJ(performance), key))
    property->u.value = js_float64((double)host_clock(CLOCK_OF_DAY) / 1e6);
  JS_FreeAtom(ctx, key);
  JS_FreeValue(ctx, performance);
}

void engine_seed(JSContext* ctx, uint64_t random, uint32_t hash) {
  ctx->random_state = random ? random : 1;  // xorshift never leaves zero
  ctx->hash_seed = hash;
  start_clock(ctx);
}

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

JSValue engine_promise(JSContext* ctx) {
  JSValue resolvers[2];
  JSValue promise = js_new_promise_capability(ctx, resolvers, JS_UNDEFINED);
  if (JS_IsException(promise)) return promise;
  JS_FreeValue(ctx, resolvers[0]);
  JS_FreeValue(ctx, resolvers[1]);
  return promise;
}

void engine_settle(JSContext* ctx, JSValueConst promise, JSValueConst value, bool rejected) {
  fulfill_or_reject_promise(ctx, promise, value, rejected);
}

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

bool engine_program_is_function(void) { return cordon_program.is_function; }

JSClassID engine_object_class(void) { return JS_CLASS_OBJECT; }
