#include "loose_ends.h"

#include "host.h"

enum {
  MOST_NOTED = 64
};  // answered calls whose promises are kept, to see later who waits for them

typedef struct {
  uint32_t tool;
  JSAtom name;
  uint32_t count;
  JSValue place;  // of the first, as text
} Group;

typedef struct {
  Group groups[MOST_LOOSE_CALLS];
  uint32_t count;
} Groups;

typedef struct {
  JSValue promise;
  MadeCall call;
} Noted;

// Few programs need them, so they are on pages that no other touches.
static Noted* answered;
static uint32_t answered_count;
static Groups* ignored;
static Groups* unawaited;  // this and the next only while they are told
static Groups* left;
static enum NoResult no_result;
static JSValue result_name = JS_UNDEFINED;
static bool has_told;
static bool has_told_timer;

static Groups* new_groups(void) {
  Groups* groups = calloc(1, sizeof *groups);
  if (!groups) __builtin_trap();
  return groups;
}

// Calls of one tool are told together. Of too many tools the last are left out.
static void add(JSContext* ctx, Groups* groups, const MadeCall* call) {
  uint32_t i = 0;
  while (i < groups->count &&
         (groups->groups[i].tool != call->tool || groups->groups[i].name != call->name))
    ++i;
  if (i == MOST_LOOSE_CALLS) return;
  Group* group = &groups->groups[i];
  if (i == groups->count) {
    *group =
        (Group){call->tool, JS_DupAtom(ctx, call->name), 0, engine_place_text(ctx, call->place)};
    ++groups->count;
  }
  ++group->count;
}

void loose_ends_free_call(JSContext* ctx, MadeCall call) {
  JS_FreeAtom(ctx, call.name);
  JS_FreeValue(ctx, call.place.function);
}

// Drops those for which somebody waits by now.
static void sweep(JSContext* ctx) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < answered_count; ++i) {
    if (engine_is_handled(ctx, answered[i].promise)) {
      JS_FreeValue(ctx, answered[i].promise);
      loose_ends_free_call(ctx, answered[i].call);
    } else {
      answered[kept++] = answered[i];
    }
  }
  answered_count = kept;
}

// Where there are so many already, further ones are not told: keeping them would cost the program
// the memory of all their answers.
void loose_ends_note_answered(JSContext* ctx, JSValueConst promise, MadeCall call) {
  if (!answered) answered = malloc(MOST_NOTED * sizeof *answered);
  if (!answered) __builtin_trap();
  if (answered_count == MOST_NOTED) sweep(ctx);
  if (answered_count == MOST_NOTED) {
    loose_ends_free_call(ctx, call);
    return;
  }
  answered[answered_count++] = (Noted){JS_DupValue(ctx, promise), call};
}

void loose_ends_note_arguments(JSContext* ctx, const MadeCall* call) {
  if (!ignored) ignored = new_groups();
  add(ctx, ignored, call);
}

void loose_ends_note_no_result(JSContext* ctx, enum NoResult why, JSValue name) {
  JS_FreeValue(ctx, result_name);
  no_result = why;
  result_name = name;
}

void loose_ends_forget_no_result(void) {
  if (no_result) no_result = NO_RESULT_AS_MEANT;
}

static void put_any_text(Buffer* out, JSContext* ctx, JSValueConst text) {
  enum { MOST_UNITS = 1000 };
  uint32_t at = out->size;
  if (JS_IsString(text) && put_text(out, ctx, text, MOST_UNITS)) return;
  out->size = at;
  put_u32(out, 0);
}

static void put_groups(Buffer* out, JSContext* ctx, const Groups* groups) {
  uint32_t count = groups ? groups->count : 0;
  put_u32(out, count);
  for (uint32_t i = 0; i < count; ++i) {
    const Group* group = &groups->groups[i];
    put_u32(out, group->tool);
    JSValue name = group->name ? JS_AtomToString(ctx, group->name) : JS_UNDEFINED;
    put_any_text(out, ctx, name);
    JS_FreeValue(ctx, name);
    put_u32(out, group->count);
    put_any_text(out, ctx, group->place);
  }
}

static void see_unawaited(JSContext* ctx, const MadeCall* call) {
  if (!unawaited) unawaited = new_groups();
  add(ctx, unawaited, call);
}

// Somebody may wait for it, but the result did not.
static void see_pending(JSContext* ctx, JSValueConst promise, const MadeCall* call) {
  if (!engine_is_handled(ctx, promise)) {
    see_unawaited(ctx, call);
  } else if (engine_is_wanted(ctx, promise)) {
    if (!left) left = new_groups();
    add(ctx, left, call);
  }
}

static void tell_calls(JSContext* ctx) {
  sweep(ctx);
  for (uint32_t i = 0; i < answered_count; ++i) see_unawaited(ctx, &answered[i].call);
  tools_each_pending(ctx, see_pending);
  if (!no_result && !ignored && !unawaited && !left) return;
  has_told = true;
  Buffer message = {0};
  put_u8(&message, (uint8_t)no_result);
  put_any_text(&message, ctx, result_name);
  put_groups(&message, ctx, unawaited);
  put_groups(&message, ctx, left);
  put_groups(&message, ctx, ignored);
  host_emit(EMIT_LOOSE_ENDS, message.data, message.size);
  free(message.data);
}

void loose_ends_tell(JSContext* ctx) {
  if (!has_told) tell_calls(ctx);
  if (has_told_timer || tools_any_pending() || !timers_any_missed(ctx)) return;
  has_told_timer = true;
  host_emit(EMIT_OPEN_TIMER, NULL, 0);
}
