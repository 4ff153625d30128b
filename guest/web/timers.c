// setTimeout, setInterval and their ends. The timers are a heap in the guest's memory; `enter`
// answers when the first is due, and the host comes back then (OP_TIMER). Nothing else waits.

#include <math.h>

#include "../guest.h"
#include "../host.h"

typedef struct {
  JSValue function;
  JSValue* arguments;
  uint32_t argument_count;
  double interval;  // below zero: once
} Timer;

// What the heap moves about is kept small.
typedef struct {
  double due;   // in milliseconds of the steady clock
  uint32_t id;  // in order of making: the older of two that are due together goes first
  Timer* timer;
} Entry;

static Entry* heap;
static uint32_t count;
static uint32_t capacity;
static uint32_t last_id;
static Entry running;  // its timer has left the heap; id 0: none
static bool running_is_cleared;

static double now(void) { return (double)host_clock(CLOCK_STEADY) / 1e6; }

static bool is_before(const Entry* a, const Entry* b) {
  return a->due != b->due ? a->due < b->due : a->id < b->id;
}

static void sift_up(uint32_t at) {
  Entry entry = heap[at];
  for (; at > 0 && is_before(&entry, &heap[(at - 1) / 2]); at = (at - 1) / 2)
    heap[at] = heap[(at - 1) / 2];
  heap[at] = entry;
}

static void sift_down(uint32_t at) {
  Entry entry = heap[at];
  for (uint32_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
    if (child + 1 < count && is_before(&heap[child + 1], &heap[child])) ++child;
    if (!is_before(&heap[child], &entry)) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = entry;
}

static void add(Entry entry) {
  if (count == capacity) {
    capacity = capacity ? capacity * 2 : 8;
    heap = realloc(heap, capacity * sizeof *heap);
    if (!heap) __builtin_trap();
  }
  heap[count] = entry;
  sift_up(count++);
}

static Entry take(uint32_t at) {
  Entry taken = heap[at];
  if (at < --count) {
    heap[at] = heap[count];
    sift_up(at);
    sift_down(at);
  }
  return taken;
}

static void free_timer(JSContext* ctx, Timer* timer) {
  JS_FreeValue(ctx, timer->function);
  for (uint32_t i = 0; i < timer->argument_count; ++i) JS_FreeValue(ctx, timer->arguments[i]);
  free(timer->arguments);
  free(timer);
}

// As Node has it: whole milliseconds, one at least, and what is too long is no wait at all.
static double delay_of(double asked) {
  double whole = trunc(asked);
  return whole >= 1 && whole <= INT32_MAX ? whole : 1;
}

enum { ONCE = 0, AGAIN = 1 };

static JSValue set_timer(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv,
                         int kind) {
  (void)self;
  if (argc < 1 || !JS_IsFunction(ctx, argv[0]))
    return JS_ThrowTypeError(ctx, "The callback of a timer must be a function");
  double asked = 0;
  if (argc > 1 && JS_ToFloat64(ctx, &asked, argv[1])) return JS_EXCEPTION;
  double delay = delay_of(asked);

  Timer* timer = calloc(1, sizeof *timer);
  if (!timer) __builtin_trap();
  timer->function = JS_DupValue(ctx, argv[0]);
  timer->interval = kind == AGAIN ? delay : -1;
  if (argc > 2) {
    timer->argument_count = (uint32_t)argc - 2;
    timer->arguments = malloc(timer->argument_count * sizeof(JSValue));
    if (!timer->arguments) __builtin_trap();
    for (int i = 2; i < argc; ++i) timer->arguments[i - 2] = JS_DupValue(ctx, argv[i]);
  }
  if (++last_id == INT32_MAX) last_id = 1;
  add((Entry){now() + delay, last_id, timer});
  return JS_NewInt32(ctx, (int32_t)last_id);
}

static JSValue clear_timer(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self;
  // What no timer's number can be is no error: so `clearTimeout(undefined)` does nothing.
  if (argc < 1 || !(JS_IsNumber(argv[0]) || JS_IsString(argv[0]))) return JS_UNDEFINED;
  int32_t id = 0;
  if (JS_ToInt32(ctx, &id, argv[0])) return JS_EXCEPTION;
  if (id <= 0) return JS_UNDEFINED;
  if (running.id == (uint32_t)id) running_is_cleared = true;
  for (uint32_t i = 0; i < count; ++i) {
    if (heap[i].id != (uint32_t)id) continue;
    free_timer(ctx, take(i).timer);
    break;
  }
  return JS_UNDEFINED;
}

static void run_one(JSContext* ctx) {
  running = take(0);
  running_is_cleared = false;
  Timer* timer = running.timer;
  JSValue result = JS_Call(ctx, timer->function, JS_UNDEFINED, (int)timer->argument_count,
                           (JSValueConst*)timer->arguments);
  if (JS_IsException(result)) {
    JSValue thrown = JS_GetException(ctx);
    program_fail(ctx, thrown);
    JS_FreeValue(ctx, thrown);
  }
  JS_FreeValue(ctx, result);
  program_pump(ctx);  // its jobs come before the next timer
  if (timer->interval < 0 || running_is_cleared)
    free_timer(ctx, timer);
  else
    add((Entry){now() + timer->interval, running.id, timer});
  running.id = 0;
}

void timers_run_due(JSContext* ctx) {
  // Those that are set meanwhile are due later than this, a millisecond at least.
  double until = now();
  while (count > 0 && heap[0].due <= until && !program_is_over()) run_one(ctx);
}

// All of them alike, so the heap stays one.
void timers_move(double milliseconds) {
  for (uint32_t i = 0; i < count; ++i) heap[i].due += milliseconds;
}

bool timers_any(void) { return count > 0 || running.id != 0; }

bool timers_any_missed(JSContext* ctx) {
  for (uint32_t i = 0; i < count; ++i) {
    if (engine_is_missed(ctx, heap[i].timer->function)) return true;
  }
  return false;
}

uint32_t timers_wait(void) {
  if (count == 0 || program_is_over()) return 0;
  double tenths = ceil((heap[0].due - now()) * 10 - 1e-3);  // the clock's steps, not their rounding
  if (tenths < 0) tenths = 0;
  return tenths > INT32_MAX ? INT32_MAX : (uint32_t)tenths + 1;
}

void timers_install(JSContext* ctx, JSValueConst global) {
  const int shown = JS_PROP_C_W_E;
  static const char* const set_names[] = {"setTimeout", "setInterval"};
  for (int kind = ONCE; kind <= AGAIN; ++kind)
    JS_DefinePropertyValueStr(
        ctx, global, set_names[kind],
        JS_NewCFunctionMagic(ctx, set_timer, set_names[kind], 1, JS_CFUNC_generic_magic, kind),
        shown);
  static const char* const clear_names[] = {"clearTimeout", "clearInterval"};
  for (int i = 0; i < 2; ++i)
    JS_DefinePropertyValueStr(ctx, global, clear_names[i],
                              JS_NewCFunction(ctx, clear_timer, clear_names[i], 1), shown);
}
