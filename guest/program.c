// From the text of a program to its result, and calls of the functions that a module exports. What
// has begun and not ended is an Activity: a promise, and where its outcome goes.
//
//   a script          STAGE_SCRIPT   --> its value, awaited: STAGE_RESULT --> EMIT_FINISH
//   one function      STAGE_FUNCTION --> its call, awaited: STAGE_RESULT --> EMIT_FINISH
//   a module          STAGE_MODULE   --> its default export, called if it is a function, as above
//   exports           STAGE_EXPORTS  --> EMIT_READY; each OP_INVOKE then has its own STAGE_RESULT,
//                                        which ends in EMIT_REPLY (or EMIT_FINISH for the call 0)
//   a task            STAGE_TASK     --> a value: EMIT_FINISH
//                                    --> a stream: STAGE_TASK_STREAM --> EMIT_FINISH
//
// A value that is no object needs no activity and is reported at once. Nothing here waits: an
// operation starts what it can, program_pump() runs jobs until none is left and closes the
// activities whose promises have settled, and control goes back to the host. EMIT_FINISH is sent
// once; what happens after it is not reported.
//
// A program goes on after EMIT_FINISH for as long as calls of it are pending. What it left open is
// told then (loose_ends.c), and an error that nobody handles is EMIT_LATE_ERROR. A program of
// FORM_EXECBOX is over at once.
//
// Guest code can run at nearly every call into the engine, and it can log, call tools or throw. So
// no pointer into `activities` is held across such a call, and a report is built in a buffer of its
// own.

#include "host.h"
#include "loose_ends.h"

// What an activity's promise stands for when it is fulfilled.
enum Stage {
  STAGE_RESULT,    // the result itself
  STAGE_SCRIPT,    // {value: result}: the engine wraps it so that a thenable is not awaited twice
  STAGE_FUNCTION,  // {value: function}: its call gives the result
  STAGE_MODULE,    // a module that has been evaluated: its default export is the result
  STAGE_TASK,      // what a task returned: the result, or a stream of it
  STAGE_TASK_STREAM,  // the end of that stream
  STAGE_EXPORTS       // a module that has been evaluated: its functions may be called from now on
};

typedef struct {
  JSValue promise;
  uint64_t call;  // the call of OP_INVOKE; 0 is the program itself
  enum Stage stage;
  uint32_t
      next_free;  // for a free place: the next free one, counted from 1; 0 is the end of the list
} Activity;

// An activity keeps its place until it ends: its promise is watched under the number of that place.
static Activity* activities;
static uint32_t activity_count;  // places in use, now or before
static uint32_t activity_capacity;
static uint32_t first_free;  // counted from 1; 0 means none
static JSModuleDef* main_module;
static bool is_over;     // EMIT_FINISH has been sent
static bool is_execbox;  // and so it does not go on after that
static bool has_failed_late;
// The place, counted from 1, of the activity that the program waits for; 0 if there is none.
static uint32_t awaited_place;
static bool is_service;  // EMIT_READY has been sent: the module lives on for its functions
// The argument of a program that is a function. A program that was given no input has none.
static JSValue program_input = JS_UNINITIALIZED;

static uint32_t new_place(void) {
  if (first_free) {
    uint32_t place = first_free - 1;
    first_free = activities[place].next_free;
    return place;
  }
  if (activity_count == activity_capacity) {
    activity_capacity = activity_capacity ? activity_capacity * 2 : 4;
    activities = realloc(activities, activity_capacity * sizeof(Activity));
    if (!activities) __builtin_trap();
  }
  return activity_count++;
}

static void begin(JSContext* ctx, JSValue promise, uint64_t call, enum Stage stage) {
  engine_mark_handled(ctx, promise);
  uint32_t place = new_place();
  activities[place] = (Activity){promise, call, stage, 0};
  if (!call) awaited_place = place + 1;
  engine_watch(ctx, promise, place + 1);
}

// Takes the report's memory.
static void emit_report(uint64_t call, Buffer* report) {
  if (call)
    host_emit(EMIT_REPLY, report->data, report->size);
  else if (!is_over)
    host_emit(EMIT_FINISH, report->data, report->size);
  is_over = is_over || !call;
  free(report->data);
}

static Buffer new_report(uint64_t call, enum Outcome kind) {
  Buffer report = {0};
  if (call) put_u64(&report, call);
  put_u8(&report, (uint8_t)kind);
  return report;
}

static void report_thrown(JSContext* ctx, uint64_t call, JSValueConst thrown, enum Outcome kind) {
  Buffer report = new_report(call, kind);
  errors_put(&report, ctx, thrown);
  emit_report(call, &report);
}

static void report_exception(JSContext* ctx, uint64_t call, enum Outcome kind) {
  JSValue thrown = JS_GetException(ctx);
  report_thrown(ctx, call, thrown, kind);
  JS_FreeValue(ctx, thrown);
}

// A program that left a rejection unhandled has failed, whatever its result is.
static bool report_rejection(JSContext* ctx) {
  JSValue reason;
  if (!rejections_take(ctx, &reason)) return false;
  report_thrown(ctx, 0, reason, OUTCOME_THROWN);
  JS_FreeValue(ctx, reason);
  return true;
}

// Why the program has no result, if that is not meant, by how its text ends.
static void note_ending(JSContext* ctx) {
  static const enum NoResult whys[] = {
      [ENDS_IN_VALUE] = NO_RESULT_AS_MEANT,    [ENDS_IN_VARIABLE] = NO_RESULT_VARIABLE,
      [ENDS_IN_FUNCTION] = NO_RESULT_FUNCTION, [ENDS_IN_EXPORT] = NO_RESULT_EXPORT,
      [ENDS_IN_BLOCK] = NO_RESULT_BLOCK,
  };
  JSValue name;
  enum EngineEnding ending = engine_program_ending(ctx, &name);
  if (ending != ENDS_IN_VALUE) loose_ends_note_no_result(ctx, whys[ending], name);
}

static void report_value(JSContext* ctx, uint64_t call, JSValueConst value) {
  if (!call && report_rejection(ctx)) return;
  if (!call && !JS_IsUndefined(value)) loose_ends_forget_no_result();
  Buffer report = new_report(call, OUTCOME_VALUE);
  Refused refused;
  if (!value_put(&report, ctx, value, &refused)) {
    free(report.data);
    report = new_report(call, OUTCOME_SERIALIZATION);
    refused_put(&report, &refused);
  }
  emit_report(call, &report);
}

// A promise for `value`, also when it is a promise or any other thenable; takes `value`.
static JSValue awaited(JSContext* ctx, JSValue value) {
  JSValue resolvers[2];
  JSValue promise = JS_NewPromiseCapability(ctx, resolvers);
  if (!JS_IsException(promise)) {
    JS_FreeValue(ctx, JS_Call(ctx, resolvers[0], JS_UNDEFINED, 1, (JSValueConst*)&value));
    JS_FreeValue(ctx, resolvers[0]);
    JS_FreeValue(ctx, resolvers[1]);
  }
  JS_FreeValue(ctx, value);
  return promise;
}

// Takes `value`: reports it at once, or when it settles if it is an object that may be a promise.
// An exception is what the program threw. What was rejected may yet be handled by jobs that wait.
static void finish_with(JSContext* ctx, uint64_t call, JSValue value) {
  if (JS_IsException(value)) {
    report_exception(ctx, call, OUTCOME_THROWN);
  } else if (JS_IsObject(value) || (!call && rejections_any())) {
    begin(ctx, awaited(ctx, value), call, STAGE_RESULT);
  } else {
    report_value(ctx, call, value);
    JS_FreeValue(ctx, value);
  }
}

// Takes `function`, calls it with the program's input and finishes with what it gives.
static void finish_call(JSContext* ctx, JSValue function) {
  int count = JS_IsUninitialized(program_input) ? 0 : 1;
  JSValue result = JS_IsException(function)
                       ? JS_EXCEPTION
                       : JS_Call(ctx, function, JS_UNDEFINED, count, (JSValueConst*)&program_input);
  JS_FreeValue(ctx, function);
  finish_with(ctx, 0, result);
}

static void finish_module(JSContext* ctx) {
  JSValue exports = JS_GetModuleNamespace(ctx, main_module);
  JSValue result = JS_GetPropertyStr(ctx, exports, "default");
  JS_FreeValue(ctx, exports);
  if (JS_IsFunction(ctx, result))
    finish_call(ctx, result);
  else
    finish_with(ctx, 0, result);
}

static void announce_exports(JSContext* ctx) {
  Buffer report = {0};
  JSValue exports = JS_GetModuleNamespace(ctx, main_module);
  JSPropertyEnum* names = NULL;
  uint32_t count = 0;
  uint32_t written = 0;
  put_u32(&report, 0);
  if (JS_GetOwnPropertyNames(ctx, &names, &count, exports, JS_GPN_STRING_MASK) == 0) {
    for (uint32_t i = 0; i < count; ++i) {
      JSValue member = JS_GetProperty(ctx, exports, names[i].atom);
      JSValue name = JS_AtomToString(ctx, names[i].atom);
      if (JS_IsFunction(ctx, member) && put_text(&report, ctx, name, UINT32_MAX)) ++written;
      JS_FreeValue(ctx, name);
      JS_FreeValue(ctx, member);
    }
    JS_FreePropertyEnum(ctx, names, count);
  }
  JS_FreeValue(ctx, exports);
  set_u32(&report, 0, written);
  is_service = true;
  host_emit(EMIT_READY, report.data, report.size);
  free(report.data);
}

static JSValue event_payload = JS_UNDEFINED;  // the result of an event, unless it returns another
static bool is_event;

// Takes `value`: what the default export of a task gave.
static void finish_task(JSContext* ctx, JSValue value) {
  if (is_event && JS_IsUndefined(value)) {
    value = event_payload;
    event_payload = JS_UNDEFINED;
  }
  JSValue stream = is_event ? JS_UNDEFINED : task_stream(ctx, value);
  if (JS_IsException(stream)) {
    report_exception(ctx, 0, OUTCOME_THROWN);
  } else if (JS_IsUndefined(stream)) {
    report_value(ctx, 0, value);
  } else {
    begin(ctx, stream, 0, STAGE_TASK_STREAM);
  }
  JS_FreeValue(ctx, value);
}

static void report_task_error(JSContext* ctx, JSValueConst thrown) {
  Refused refused;
  if (task_tell_error(ctx, thrown, &refused)) {
    report_thrown(ctx, 0, thrown, OUTCOME_THROWN);
  } else {
    Buffer report = new_report(0, OUTCOME_SERIALIZATION);
    refused_put(&report, &refused);
    emit_report(0, &report);
  }
}

static void close_activity(JSContext* ctx, Activity activity, bool fulfilled) {
  JSValue result = JS_PromiseResult(ctx, activity.promise);
  if (!fulfilled && (activity.stage == STAGE_TASK || activity.stage == STAGE_TASK_STREAM)) {
    report_task_error(ctx, result);
  } else if (!fulfilled) {
    report_thrown(ctx, activity.call, result, OUTCOME_THROWN);
  } else {
    switch (activity.stage) {
      case STAGE_TASK:
        finish_task(ctx, JS_DupValue(ctx, result));
        break;
      case STAGE_RESULT:
      case STAGE_TASK_STREAM:
        report_value(ctx, activity.call, result);
        break;
      case STAGE_SCRIPT:
        finish_with(ctx, 0, JS_GetPropertyStr(ctx, result, "value"));
        break;
      case STAGE_FUNCTION:
        finish_call(ctx, JS_GetPropertyStr(ctx, result, "value"));
        break;
      case STAGE_MODULE:
        finish_module(ctx);
        break;
      case STAGE_EXPORTS:
        announce_exports(ctx);
        break;
    }
  }
  JS_FreeValue(ctx, result);
  JS_FreeValue(ctx, activity.promise);
}

// Closing an activity may begin others. They are looked at the next time, when their jobs have run.
// The place is free before the activity is closed, so that a new one may take it.
static bool close_settled(JSContext* ctx) {
  uint32_t count = engine_settled_count();
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t number = engine_next_settled();
    Activity activity = activities[number - 1];
    activities[number - 1].next_free = first_free;
    first_free = number;
    if (awaited_place == number) awaited_place = 0;
    JSPromiseStateEnum state = JS_PromiseState(ctx, activity.promise);
    close_activity(ctx, activity, state == JS_PROMISE_FULFILLED);
  }
  return count > 0;
}

// An error that reaches no promise: a function that was given to queueMicrotask threw it.
static void fail_with_job(JSContext* ctx) {
  if (!JS_HasException(ctx)) return;
  JSValue thrown = JS_GetException(ctx);
  program_fail(ctx, thrown);
  JS_FreeValue(ctx, thrown);
}

// Called when no job is left that could handle them. A service logs them and lives on. A program
// fails with the first if nothing is pending: without a call or a timer nothing could handle it any
// more.
static void give_up_on_rejections(JSContext* ctx) {
  if (is_over && !tools_any_pending()) {
    JSValue reason;
    if (!rejections_take(ctx, &reason)) return;
    program_fail(ctx, reason);
    JS_FreeValue(ctx, reason);
  } else if (is_service) {
    JSValue reason;
    while (rejections_take(ctx, &reason)) {
      console_uncaught(ctx, reason);
      JS_FreeValue(ctx, reason);
    }
  } else if (!is_over && !tools_any_pending() && !timers_any()) {
    report_rejection(ctx);
  }
}

// Nothing is left that could settle the promise that the program waits for. One of a module that
// lives on for its functions may yet be settled by another call of them.
static bool waits_in_vain(void) {
  return awaited_place && !is_over && !is_service && !is_execbox && !tools_any_pending() &&
         !timers_any() && !task_may_hear_of_abort();
}

static void report_vain_wait(JSContext* ctx) {
  JSValue error = JS_NewError(ctx);
  JS_DefinePropertyValueStr(
      ctx, error, "message",
      JS_NewString(ctx, "the program waits for a promise that nothing will settle"),
      JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE);
  engine_place_error(ctx, error, engine_awaiting(ctx, activities[awaited_place - 1].promise),
                     JS_UNDEFINED);
  report_thrown(ctx, 0, error, OUTCOME_THROWN);
  JS_FreeValue(ctx, error);
}

void program_pump(JSContext* ctx) {
  JSContext* job_context = ctx;
  do {
    while (JS_ExecutePendingJob(guest_runtime, &job_context) != 0) fail_with_job(job_context);
  } while (close_settled(ctx));
  if (rejections_any()) give_up_on_rejections(ctx);
  if (waits_in_vain()) report_vain_wait(ctx);
  if (is_over && !is_execbox) loose_ends_tell(ctx);
}

static void report_late(JSContext* ctx, JSValueConst thrown) {
  if (is_execbox || has_failed_late) return;
  has_failed_late = true;
  Buffer report = {0};
  errors_put(&report, ctx, thrown);
  host_emit(EMIT_LATE_ERROR, report.data, report.size);
  free(report.data);
}

void program_fail(JSContext* ctx, JSValueConst thrown) {
  if (is_over)
    report_late(ctx, thrown);
  else if (is_service)
    console_uncaught(ctx, thrown);
  else
    report_thrown(ctx, 0, thrown, OUTCOME_THROWN);
}

void program_become_run(void) { is_service = false; }

bool program_is_over(void) { return is_over && (is_execbox || !tools_any_pending()); }

// Takes `code`.
static void run_script(JSContext* ctx, JSValue code, enum Stage stage) {
  JSValue result = JS_EvalFunction(ctx, code);
  if (JS_IsException(result))
    report_exception(ctx, 0, OUTCOME_THROWN);
  else if (stage == STAGE_RESULT)
    finish_with(ctx, 0, result);
  else
    begin(ctx, result, 0, stage);
}

// Takes `code`. It fails before there is a promise only where an imported module lacks a name; no
// code has run then.
static void run_module(JSContext* ctx, JSValue code, enum Form form) {
  main_module = JS_VALUE_GET_PTR(code);
  JSValue result = JS_EvalFunction(ctx, code);
  if (JS_IsException(result))
    report_exception(ctx, 0, OUTCOME_SYNTAX);
  else
    begin(ctx, result, 0, form == FORM_EXPORTS ? STAGE_EXPORTS : STAGE_MODULE);
}

// No guest code has run when a text does not parse, so what the error says is the engine's own.
static void run_program(JSContext* ctx, const Source* text, enum Form form) {
  JSValue code = source_compile(ctx, text, JS_EVAL_FLAG_ASYNC);
  if (!JS_IsException(code)) {
    bool is_called =
        form == FORM_EXECBOX ? engine_program_is_execbox_function() : engine_program_is_function();
    if (!is_called) note_ending(ctx);
    run_script(ctx, code, is_called ? STAGE_FUNCTION : STAGE_SCRIPT);
    return;
  }
  JSValue error = JS_GetException(ctx);
  if (source_may_be_module(text)) {
    code = source_compile_main_module(ctx, text);
    if (!JS_IsException(code)) {
      JS_FreeValue(ctx, error);
      note_ending(ctx);
      run_module(ctx, code, FORM_MODULE);
      return;
    }
    JSValue module_error = JS_GetException(ctx);
    bool is_module = source_is_nearer_to_module(text, ctx, error, module_error);
    JS_FreeValue(ctx, is_module ? error : module_error);
    if (is_module) error = module_error;
  }
  report_thrown(ctx, 0, error, OUTCOME_SYNTAX);
  JS_FreeValue(ctx, error);
}

static void take_limits(Cursor* message) {
  guest_limits.message_bytes = take_u32(message);
  guest_limits.elements = take_u32(message);
  guest_limits.depth = take_u32(message);
  guest_limits.pending_calls = take_u32(message);
  guest_limits.values = take_u8(message);
}

// False: an exception is pending.
static bool take_globals(JSContext* ctx, Cursor* message) {
  JSValue global = JS_GetGlobalObject(ctx);
  tools_install(ctx, global, message);
  JSValue input = take_u8(message) ? value_take(message, ctx) : JS_UNINITIALIZED;
  bool good = !JS_IsException(input);
  if (good && !JS_IsUninitialized(input)) {
    program_input = JS_DupValue(ctx, input);
    JS_DefinePropertyValueStr(ctx, global, "input", input, JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE);
  }
  JS_FreeValue(ctx, global);
  return good;
}

void program_run(JSContext* ctx, Cursor* message) {
  uint64_t random = take_u64(message);
  uint32_t hash = take_u32(message);
  engine_seed(ctx, random, hash);
  random_seed(message);
  take_limits(message);
  if (!take_globals(ctx, message)) {
    report_exception(ctx, 0, OUTCOME_THROWN);
    return;
  }

  enum Form form = take_u8(message);
  uint32_t name_size;
  Source text;
  text.line = (int)take_u32(message);
  text.name = take_zero_string(message, &name_size);
  text.source = take_zero_string(message, &text.size);
  text.runs = (const uint8_t*)take_string(message, &text.runs_size);
  if (form == FORM_EXECBOX) {
    is_execbox = true;
    rejections_ignore(guest_runtime);
    console_become_execbox();
  }
  if (form == FORM_PROGRAM || form == FORM_EXECBOX) {
    run_program(ctx, &text, form);
    return;
  }
  JSValue code = form == FORM_EXPORTS ? source_compile(ctx, &text, JS_EVAL_TYPE_MODULE)
                                      : source_compile_main_module(ctx, &text);
  if (JS_IsException(code)) {
    report_exception(ctx, 0, OUTCOME_SYNTAX);
  } else {
    if (form == FORM_MODULE) note_ending(ctx);
    run_module(ctx, code, form);
  }
}

// False: there is no function of that name, and `value` is whatever else is exported by it.
static bool find_function(JSContext* ctx, JSValueConst exports, const char* name, uint32_t size,
                          JSValue* value) {
  JSAtom key = JS_NewAtomLen(ctx, name, size);
  *value = JS_GetProperty(ctx, exports, key);
  JS_FreeAtom(ctx, key);
  return JS_IsFunction(ctx, *value);
}

static bool is_default(const char* name, uint32_t size) {
  return size == 7 && memcmp(name, "default", size) == 0;
}

// Takes `result`: what a task's function gave.
static void begin_task(JSContext* ctx, JSValue result) {
  if (JS_IsException(result)) {
    JSValue thrown = JS_GetException(ctx);
    report_task_error(ctx, thrown);
    JS_FreeValue(ctx, thrown);
  } else {
    begin(ctx, awaited(ctx, result), 0, STAGE_TASK);
  }
}

void program_invoke(JSContext* ctx, Cursor* message) {
  uint64_t call = take_u64(message);
  uint8_t flags = take_u8(message);
  uint32_t size;
  const char* name = take_string(message, &size);
  uint32_t count = take_u32(message);
  if (count > MAX_ARGUMENTS) __builtin_trap();
  JSValue arguments[MAX_ARGUMENTS + 1];
  bool good = true;
  for (uint32_t i = 0; i < count; ++i) {
    arguments[i] = value_take(message, ctx);
    good = good && !JS_IsException(arguments[i]);
  }
  bool is_task = flags & INVOKE_TASK;
  if (is_task) {
    is_event = flags & INVOKE_IS_EVENT;
    JSValueConst input = count > 0 ? arguments[0] : JS_UNDEFINED;
    arguments[count] = task_take(ctx, message, flags, good ? input : JS_EXCEPTION);
    good = good && !JS_IsException(arguments[count]);
    if (is_event && good) event_payload = JS_DupValue(ctx, input);
    ++count;
  }

  JSValue exports = JS_GetModuleNamespace(ctx, main_module);
  JSValue function;
  bool is_function = find_function(ctx, exports, name, size, &function);
  JSValue result = JS_EXCEPTION;
  if (good && is_function)
    result = JS_Call(ctx, function, exports, (int)count, (JSValueConst*)arguments);
  else if (good && !call && !is_task && is_default(name, size))
    result = JS_DupValue(ctx, function);  // a program may export its result as it is
  else if (good)
    JS_ThrowTypeError(ctx, "the module exports no function '%.*s'", (int)size, name);
  for (uint32_t i = 0; i < count; ++i) JS_FreeValue(ctx, arguments[i]);
  JS_FreeValue(ctx, function);
  JS_FreeValue(ctx, exports);
  if (is_task)
    begin_task(ctx, result);
  else
    finish_with(ctx, call, result);
}
