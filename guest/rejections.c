// Promises that were rejected without a handler. Most get one a moment later. Those that have none
// when the program ends are its failure.

#include "guest.h"

static JSValue* promises;  // oldest first
static uint32_t count;
static uint32_t capacity;

// Drops those that have a handler by now. The room is doubled only if at least half are left, so
// the cost per rejection stays constant for a program that handles them late.
static void sweep(JSContext* ctx) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (engine_is_handled(ctx, promises[i]))
      JS_FreeValue(ctx, promises[i]);
    else
      promises[kept++] = promises[i];
  }
  count = kept;
}

static void track(JSContext* ctx, JSValueConst promise, JSValueConst reason, bool is_handled,
                  void* opaque) {
  (void)reason, (void)opaque;
  if (is_handled) return;  // sweep() sees it when it matters
  if (count == capacity) {
    sweep(ctx);
    if (count >= capacity / 2) {
      capacity = capacity ? capacity * 2 : 8;
      promises = realloc(promises, capacity * sizeof *promises);
      if (!promises) __builtin_trap();
    }
  }
  promises[count++] = JS_DupValue(ctx, promise);
}

void rejections_install(JSRuntime* runtime) {
  JS_SetHostPromiseRejectionTracker(runtime, track, NULL);
}

void rejections_ignore(JSRuntime* runtime) {
  JS_SetHostPromiseRejectionTracker(runtime, NULL, NULL);
}

bool rejections_any(void) { return count > 0; }

bool rejections_take(JSContext* ctx, JSValue* reason) {
  sweep(ctx);
  if (count == 0) return false;
  *reason = JS_PromiseResult(ctx, promises[0]);
  JS_FreeValue(ctx, promises[0]);
  memmove(promises, promises + 1, --count * sizeof *promises);
  return true;
}
