#include "engine.h"

#include <stdlib.h>

#include "frames.h"
#include "host.h"

extern bool guest_is_live;  // declared in guest.h too, which cannot be included here: it shares
                            // names with quickjs.c

// What guest/patches/without-recursion.diff asks for, beside the first frames (frames.c).
enum { ROOM_BESIDE_FRAMES = 512 * 1024, WASM_PAGE = 65536 };

// None, so that the program gets its RangeError, if what is left would then be too little to go on
// with: an allocation that fails ends the program.
static void* cordon_more_frames(size_t size) {
  if (!guest_is_live || (uint64_t)host_room() * WASM_PAGE < size + ROOM_BESIDE_FRAMES) return NULL;
  return malloc(size);
}
static void cordon_release_frames(void* frames) { free(frames); }

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Weverything"
#include "quickjs.c"
#pragma clang diagnostic pop

// QuickJS turns a failed allocation into an exception that a program can catch. A program that
// lives on after that is a hole in the memory limit, and code that handles such exceptions is
// rarely tested. So no allocation fails here: the host ends the execution instead, and does not
// return.
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

void engine_start_clock(JSContext* ctx) {
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
  engine_seed_random(ctx, random);
  ctx->hash_seed = hash;
  engine_start_clock(ctx);
}

void engine_seed_random(JSContext* ctx, uint64_t random) {
  ctx->random_state = random ? random : 1;  // xorshift never leaves zero
}

void engine_rest(void) { cordon_free_spare_frames(); }

void engine_move_clock(JSContext* ctx, double milliseconds) { ctx->time_origin += milliseconds; }

bool engine_program_is_function(void) { return cordon_program.is_function; }
bool engine_program_is_execbox_function(void) { return cordon_program.is_execbox_function; }

void engine_next_module_is_program(void) { cordon_next_module_is_program = true; }

void engine_set_runs(const uint8_t* runs, uint32_t size, int first_line) {
  cordon_next_runs = (CordonRuns){runs, size / (CORDON_ROW * 4), first_line};
}

enum EngineEnding engine_program_ending(JSContext* ctx, JSValue* name) {
  static const enum EngineEnding endings[] = {
      [CORDON_ENDS_IN_VALUE] = ENDS_IN_VALUE,       [CORDON_ENDS_IN_VARIABLE] = ENDS_IN_VARIABLE,
      [CORDON_ENDS_IN_FUNCTION] = ENDS_IN_FUNCTION, [CORDON_ENDS_IN_EXPORT] = ENDS_IN_EXPORT,
      [CORDON_ENDS_IN_BLOCK] = ENDS_IN_BLOCK,
  };
  *name = cordon_ending.name ? JS_AtomToString(ctx, cordon_ending.name) : JS_UNDEFINED;
  return endings[cordon_ending.kind];
}

// They see the structures of quickjs.c too, so they are parts of this file.
#include "engine/asked_names.c"
#include "engine/async_frames.c"
#include "engine/awaits.c"
#include "engine/collation.c"
#include "engine/errors.c"
#include "engine/expressions.c"
#include "engine/inspect.c"
#include "engine/pack.c"
#include "engine/promises.c"
#include "engine/values.c"
