// The guest's one runtime and context, and what its parts share. All of it is in the snapshot.
#pragma once

#include <stdbool.h>

#include "abi.h"
#include "buffer.h"
#include "engine.h"

extern JSRuntime* guest_runtime;
extern JSContext* guest_context;
extern bool guest_is_live;  // false while the snapshot is being made: no host yet

// What the host allows, set by OP_RUN.
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
// A line on level `error` about what nobody caught.
void console_uncaught(JSContext* ctx, JSValueConst thrown);

// web/timers.c
void timers_install(JSContext* ctx, JSValueConst global);
// Runs the timers that are due, one after the other with their jobs, until program_fail was called.
void timers_run_due(JSContext* ctx);
bool timers_any(void);
void timers_move(double milliseconds);  // all are due that much later
uint32_t timers_wait(void);             // what `enter` answers

// web/web.c, web/random.c
void web_install(JSContext* ctx, JSValueConst global);
void random_seed(Cursor* message);  // 20 bytes

// rejections.c: promises that were rejected and that nobody handles.
void rejections_install(JSRuntime* runtime);
void rejections_ignore(JSRuntime* runtime);  // from now on
bool rejections_any(void);  // perhaps: some of them may have been handled meanwhile
// What the oldest of them was rejected with, or false. It is theirs no more, but the caller's.
bool rejections_take(JSContext* ctx, JSValue* reason);

// tools.c: the host's functions, as namespaces of functions that return promises.
void tools_init(JSContext* ctx);
void tools_install(JSContext* ctx, JSValueConst global, Cursor* providers);
void tools_settle(JSContext* ctx, Cursor* message);
// A Uint8Array of what follows the first FEED_HEAD bytes of `message`. Takes `owned`, which is
// `message` where that was allocated for it; else the bytes are copied.
enum { FEED_HEAD = 16 };
void tools_feed(JSContext* ctx, const uint8_t* message, uint32_t size, uint8_t* owned);
// A call of a tool, or of what only our own code may call (enum Port): a promise.
JSValue tools_call(JSContext* ctx, uint32_t tool, JSValueConst input);
// The same of a function of an open namespace, which has one number for all of them.
JSValue tools_call_named(JSContext* ctx, uint32_t tool, JSValueConst name, JSValueConst input);
bool tools_any_pending(void);
// The call whose failure `thrown` is, if it is the very object that rejected it; else 0.
uint64_t tools_failed_call(JSContext* ctx, JSValueConst thrown);
// Where it is the refusal of a tool's input: u32 size and what refused_put wrote; else a size of
// zero.
void tools_put_refusal(Buffer* buffer, JSContext* ctx, JSValueConst thrown);

// open_names.c: a namespace in which every name is a function that calls `tool` by that name.
void open_names_init(JSContext* ctx);
JSValue open_names_new(JSContext* ctx, uint32_t tool);

// A value under the rules of what may cross. It runs guest code, so the buffer is the caller's
// alone. False: refused, the buffer is as it was and `refused` says why and where.
typedef struct {
  enum Refusal why;
  Buffer where;
  Buffer more;
} Refused;

// task.c
void task_natives(JSContext* ctx, JSValueConst natives);
// Reads a TaskRequest and gives the task's context, or an exception where its values cannot be
// made. `input` is the task's first argument, whose files get their streams; it may be an exception
// too, and is then left alone.
JSValue task_take(JSContext* ctx, Cursor* message, uint8_t flags, JSValueConst input);
void task_abort(JSContext* ctx);
// A promise for the end of the stream that `result` is; undefined where it is a value.
JSValue task_stream(JSContext* ctx, JSValueConst result);
// Tells the host of a TaskError before it hears that it was thrown. False: its data may not leave.
bool task_tell_error(JSContext* ctx, JSValueConst thrown, Refused* refused);
JSValue task_error_class(JSContext* ctx);

// modules.c
void modules_install(JSRuntime* runtime);

// errors.c: writes u64 call, name, message, stack, and the chain of causes.
void errors_put(Buffer* buffer, JSContext* ctx, JSValueConst thrown);

// hints.c: the name of a property that was not there (empty: it is no such error), u8 whether the
// names that follow are nearly the same, else they are what there is; u32 count, names.
void hints_put(Buffer* buffer, JSContext* ctx, JSValueConst thrown);

// values_json.c: by the rule that the host chose, enum Values.
bool value_put(Buffer* buffer, JSContext* ctx, JSValueConst value, Refused* refused);
// values_out.c: execbox's rules, as its specification has them, or the rich one.
bool value_put_walked(Buffer* buffer, JSContext* ctx, JSValueConst value, Refused* refused);
void refused_put(Buffer* buffer, Refused* refused);  // why, where, more; frees them

// values_in.c. An exception: the message was read, but cannot be made (a bad regular expression).
JSValue value_take(Cursor* cursor, JSContext* ctx);

// program.c
void program_run(JSContext* ctx, Cursor* message);
void program_invoke(JSContext* ctx, Cursor* message);
// Runs jobs until none is left, then reports what has come to its end.
void program_pump(JSContext* ctx);
// What nobody caught, thrown where no promise of the program's hears of it: the program's end; in a
// module that lives on for its functions, a line in the log.
void program_fail(JSContext* ctx, JSValueConst thrown);
bool program_is_over(void);
// What was a service until it was saved is a program with an end from here on.
void program_become_run(void);
void program_resume(JSContext* ctx, Cursor* message);  // resume.c
