// The module's exports: the initialiser that the snapshot runs, the inbox, and one way in.

#include "guest.h"

#define CORDON_EXPORT(name) __attribute__((export_name(name)))

enum { STACK_FOR_SCRIPTS = 836 * 1024 };  // of the 960 KiB that the linker lays out

JSRuntime* guest_runtime;
JSContext* guest_context;
bool guest_is_live;
GuestLimits guest_limits;

// Small messages arrive here without an allocation. The host finds it by the exported symbol.
__attribute__((visibility("default"))) uint8_t cordon_inbox[INBOX_BYTES];
static uint8_t* large_inbox;

// The linker makes this function, which runs the initialisers of libraries. If it is not called
// here, the linker makes each export call it.
void __wasm_call_ctors(void);

CORDON_EXPORT("initialize") void initialize(void) {
  __wasm_call_ctors();
  guest_runtime = engine_new_runtime();
  JS_SetMaxStackSize(guest_runtime, STACK_FOR_SCRIPTS);
  guest_context = JS_NewContext(guest_runtime);
  JS_AddIntrinsicBigInt(guest_context);
  modules_install(guest_runtime);
  rejections_install(guest_runtime);
  tools_init(guest_context);
  engine_note_lacking(guest_context);

  JSValue global = JS_GetGlobalObject(guest_context);
  console_install(guest_context, global);
  timers_install(guest_context, global);
  locale_install(guest_context, global);
  web_install(guest_context, global);
  JS_FreeValue(guest_context, global);
  JS_RunGC(guest_runtime);
  engine_pack(guest_context);
}

// `enter` is the only way in once the snapshot is made, and it is never entered twice: the host
// calls it again only after it has returned, and no host function calls back. So the parts of the
// guest may keep state in static variables.
//
// A large message comes in two calls. OP_RESERVE allocates room, the host writes there, and the
// next call takes that room for its message. The function that handles the operation reads from it,
// and it is freed here, except for OP_FEED: its bytes become the buffer of a Uint8Array.
static uint8_t* reserve(uint32_t size) {
  free(large_inbox);
  large_inbox = malloc(size);
  if (!large_inbox) __builtin_trap();
  return large_inbox;
}

CORDON_EXPORT("enter") uint32_t enter(uint32_t operation, uint32_t size) {
  guest_is_live = true;
  if (operation == OP_RESERVE) return (uint32_t)(uintptr_t)reserve(size);

  uint8_t* message = large_inbox;
  large_inbox = NULL;
  Cursor cursor = {message ? message : cordon_inbox};
  JS_UpdateStackTop(guest_runtime);
  switch (operation) {
    case OP_RUN:
      program_run(guest_context, &cursor);
      break;
    case OP_SETTLE:
      tools_settle(guest_context, &cursor);
      break;
    case OP_INVOKE:
      program_invoke(guest_context, &cursor);
      break;
    case OP_FEED:
      tools_feed(guest_context, cursor.at, size, message);
      message = NULL;
      break;
    case OP_ABORT:
      task_abort(guest_context);
      break;
    case OP_RESUME:
      program_resume(guest_context, &cursor);
      break;
    case OP_TIMER:
      timers_run_due(guest_context);
      break;
    default:
      __builtin_trap();
  }
  // The text of a program would otherwise be part of every image that is taken of it.
  if (message && operation == OP_RUN) explicit_bzero(message, size);
  free(message);
  program_pump(guest_context);
  engine_rest();
  return timers_wait();
}
