// Part of engine.c, which includes it after quickjs.c: promises that the host settles,
// and those whose settling it wants to hear of.

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

bool engine_is_handled(JSContext* ctx, JSValueConst promise) {
  (void)ctx;
  JSPromiseData* data = JS_GetOpaque(promise, JS_CLASS_PROMISE);
  return !data || data->is_handled;
}

void engine_mark_handled(JSContext* ctx, JSValueConst promise) {
  (void)ctx;
  JSPromiseData* data = JS_GetOpaque(promise, JS_CLASS_PROMISE);
  if (data) data->is_handled = true;
}

// Watched promises that have settled and were not asked for yet. They lie from `first` on, in the
// order in which they settled. Our patch of QuickJS calls cordon_note_settled() when it settles a
// promise that has a watcher.
static struct {
  uint32_t* watchers;
  uint32_t first, count, capacity;
} settled;

static void cordon_note_settled(uint32_t watcher) {
  if (settled.count == settled.capacity) {
    settled.capacity = settled.capacity ? settled.capacity * 2 : 4;
    settled.watchers = given(realloc(settled.watchers, settled.capacity * sizeof(uint32_t)));
  }
  settled.watchers[settled.count++] = watcher;
}

void engine_watch(JSContext* ctx, JSValueConst promise, uint32_t watcher) {
  (void)ctx;
  JSPromiseData* data = JS_GetOpaque(promise, JS_CLASS_PROMISE);
  if (data && data->promise_state == JS_PROMISE_PENDING)
    data->watcher = watcher;
  else
    cordon_note_settled(watcher);
}

uint32_t engine_settled_count(void) { return settled.count - settled.first; }

uint32_t engine_next_settled(void) {
  uint32_t watcher = settled.watchers[settled.first++];
  if (settled.first == settled.count) settled.first = settled.count = 0;
  return watcher;
}
