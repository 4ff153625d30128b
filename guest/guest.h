// The guest's one runtime and context, and what its parts share. All of it is in the snapshot.
#pragma once

#include <stdbool.h>

#include "abi.h"
#include "buffer.h"
#include "engine.h"

extern JSRuntime* guest_runtime;
extern JSContext* guest_context;
extern bool guest_is_live;  // false while the snapshot is being made, when there is no host

// The host's limits, set by OP_RUN.
typedef struct {
  uint32_t message_bytes;
  uint32_t elements;  // nodes of one value
  uint32_t depth;
  uint32_t pending_calls;
  uint8_t values;  // enum Values
} GuestLimits;
extern GuestLimits guest_limits;

// text.c: what String(value) gives, also for symbols.
JSValue string_of(JSContext* ctx, JSValueConst value);

// console.c
void console_install(JSContext* ctx, JSValueConst global);
// Logs an uncaught error, on level `error`.
void console_uncaught(JSContext* ctx, JSValueConst thrown);
// console_text.c: arguments are shown as execbox's specification says.
void console_become_execbox(void);

// locale.c: toLocaleString and its kin, without Intl.
void locale_install(JSContext* ctx, JSValueConst global);

// web/timers.c
void timers_install(JSContext* ctx, JSValueConst global);
// Runs the timers that are due, one after the other with their jobs, until program_fail was called.
void timers_run_due(JSContext* ctx);
bool timers_any(void);
bool timers_any_missed(JSContext* ctx);  // one that the program would miss
void timers_move(double milliseconds);   // makes all timers due that much later
uint32_t timers_wait(void);              // what `enter` returns

// web/web.c, web/random.c
void web_install(JSContext* ctx, JSValueConst global);
void random_seed(Cursor* message);  // 20 bytes

// rejections.c: promises that were rejected without a handler.
void rejections_install(JSRuntime* runtime);
void rejections_ignore(JSRuntime* runtime);  // from now on
bool rejections_any(void);  // perhaps; some of them may have been handled meanwhile
// Takes the reason of the oldest of them, which the caller then owns. False if there is none.
bool rejections_take(JSContext* ctx, JSValue* reason);

// tools.c: the host's functions, as namespaces of functions that return promises.
void tools_init(JSContext* ctx);
void tools_install(JSContext* ctx, JSValueConst global, Cursor* providers);
void tools_settle(JSContext* ctx, Cursor* message);
// Answers with a Uint8Array of the bytes after the first FEED_HEAD of `message`. Takes `owned`,
// which is `message` if that was allocated; otherwise the bytes are copied.
enum { FEED_HEAD = 16 };
void tools_feed(JSContext* ctx, const uint8_t* message, uint32_t size, uint8_t* owned);
// Calls a tool, or what only our own code may call (enum Port). Returns a promise.
JSValue tools_call(JSContext* ctx, uint32_t tool, JSValueConst input);
// The same by a function of a program, with its arguments. `name` is that of a function of an open
// namespace, which has one number for all of them, and otherwise undefined.
JSValue tools_call_function(JSContext* ctx, uint32_t tool, JSValueConst name, int argc,
                            JSValueConst* argv);
// The function of a tool, with this name.
JSValue tools_function(JSContext* ctx, JSAtom name, uint32_t tool);
// Defines functions that are made when they are touched, for the tools from `first` on. `names`
// (u32 size, text and NUL of each) is kept, and so is what the functions are made from.
void tools_define_many(JSContext* ctx, JSValueConst space, uint32_t first, uint32_t count,
                       const uint8_t* names);
bool tools_any_pending(void);
// The call that failed with `thrown`, if it is the very object that the call was rejected with;
// otherwise 0.
uint64_t tools_failed_call(JSContext* ctx, JSValueConst thrown);
// Writes u32 size and what refused_put wrote, if `thrown` is the refusal of a tool's input;
// otherwise a size of zero.
void tools_put_refusal(Buffer* buffer, JSContext* ctx, JSValueConst thrown);

// open_names.c: a namespace in which every name is a function that calls `tool` by that name.
void open_names_init(JSContext* ctx);
JSValue open_names_new(JSContext* ctx, uint32_t tool);

// asked_names.c: a namespace of `count` tools from `first` on, whose names stay with the host. It
// is the namespace at `place` among all.
JSValue asked_names_new(JSContext* ctx, uint32_t place, uint32_t first, uint32_t count);

// Writes a value under the rules of what may leave. It runs code of the program, so no other code
// may use the buffer. False if the value was refused; the buffer is then as it was, and `refused`
// says why and where.
typedef struct {
  enum Refusal why;
  Buffer where;
  Buffer more;
} Refused;

// task.c
void task_natives(JSContext* ctx, JSValueConst natives);
// Reads a TaskRequest and returns the task's context, or an exception if its values cannot be made.
// `input` is the task's first argument, whose files get their streams; it may be an exception too,
// and is then left alone.
JSValue task_take(JSContext* ctx, Cursor* message, uint8_t flags, JSValueConst input);
void task_abort(JSContext* ctx);
// Whether the task may hear of its client, so that OP_ABORT can settle a promise.
bool task_may_hear_of_abort(void);
// If `result` is a stream, a promise for its end; undefined if it is a value.
JSValue task_stream(JSContext* ctx, JSValueConst result);
// Tells the host about a TaskError before it hears that it was thrown. False if its data may not
// leave.
bool task_tell_error(JSContext* ctx, JSValueConst thrown, Refused* refused);
JSValue task_error_class(JSContext* ctx);

// modules.c
void modules_install(JSRuntime* runtime);

// errors.c: writes u64 call, name, message, stack, and the chain of causes.
void errors_put(Buffer* buffer, JSContext* ctx, JSValueConst thrown);

// hints.c: writes the name of a property that does not exist (empty for any other error), u8
// UnknownName, u32 count, names that are similar or just those that exist.
void hints_put(Buffer* buffer, JSContext* ctx, JSValueConst thrown);

// values_json.c: by the rule that the host chose, enum Values.
bool value_put(Buffer* buffer, JSContext* ctx, JSValueConst value, Refused* refused);
// By another rule.
bool value_put_by(enum Values rule, Buffer* buffer, JSContext* ctx, JSValueConst value,
                  Refused* refused);
// values_out.c: by the rules of execbox's specification, or by the rich rule.
bool value_put_walked(enum Values rule, Buffer* buffer, JSContext* ctx, JSValueConst value,
                      Refused* refused);
void refused_put(Buffer* buffer, Refused* refused);  // why, where, more; frees them

// values_in.c. An exception if the message was read but cannot be made (a bad regular expression).
JSValue value_take(Cursor* cursor, JSContext* ctx);
// A value that may be as under VALUES_RICH, whatever the program's rule is.
JSValue value_take_rich(Cursor* cursor, JSContext* ctx);

// source.c: the text of a program on its way to code. `source` ends in a NUL that `size` does not
// count.
typedef struct {
  const char* name;
  int line;
  const char* source;
  uint32_t size;
  const uint8_t* runs;  // WrittenRuns, for a text that was made from another
  uint32_t runs_size;
} Source;
// An exception if it does not parse. `type` is JS_EVAL_TYPE_MODULE, or flags of a script.
JSValue source_compile(JSContext* ctx, const Source* text, int type);
// The same for a module that is the program, and so has a value.
JSValue source_compile_main_module(JSContext* ctx, const Source* text);
// A module has one of some words at its top, so a text without them is not a module.
bool source_may_be_module(const Source* text);
// For a text that is neither a script nor a module, the error of the nearer one is shown: that of
// the module if its imports were reached or its parser came further, otherwise that of the script.
bool source_is_nearer_to_module(const Source* text, JSContext* ctx, JSValueConst script_error,
                                JSValueConst module_error);

// program.c
void program_run(JSContext* ctx, Cursor* message);
void program_invoke(JSContext* ctx, Cursor* message);
// Runs jobs until none is left, then reports what has ended.
void program_pump(JSContext* ctx);
// For an uncaught error that reaches no promise of the program. It ends the program; in a module
// that lives on for its functions it is a line in the log.
void program_fail(JSContext* ctx, JSValueConst thrown);
// Timers are not run any more.
bool program_is_over(void);
// A guest that was a service until it was saved is now a program with an end.
void program_become_run(void);
void program_resume(JSContext* ctx, Cursor* message);  // resume.c
