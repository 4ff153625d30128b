// Built into a module of its own, which runs at build time, once for each function that our
// JavaScript becomes: it parses that and emits the bytecode that web.c and others load.

#include "../guest.h"
#include "../host.h"

bool guest_is_live = false;  // for sbrk: it grows its memory itself

// One function, in numbers, with a NUL behind it. (Not by #embed: ccache does not see what that
// reads.)
static const char source[] = {
#include "web_source.inc"
    0};

__attribute__((export_name("enter"))) uint32_t enter(uint32_t operation, uint32_t size) {
  (void)operation, (void)size;
  JSContext* ctx = JS_NewContext(engine_new_runtime());
  JSValue code = JS_Eval(ctx, source, sizeof source - 1, "cordon:web",
                         JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_COMPILE_ONLY);
  if (JS_IsException(code)) {
    JSValue error = JS_GetException(ctx);
    const char* text = JS_ToCString(ctx, error);
    JSValue stack = JS_GetPropertyStr(ctx, error, "stack");
    const char* where = JS_ToCString(ctx, stack);
    host_emit(1, text, (uint32_t)strlen(text));
    host_emit(1, where, (uint32_t)strlen(where));
    return 1;
  }
  size_t bytes = 0;
  uint8_t* bytecode =
      JS_WriteObject(ctx, &bytes, code,
                     JS_WRITE_OBJ_BYTECODE | JS_WRITE_OBJ_STRIP_SOURCE | JS_WRITE_OBJ_STRIP_DEBUG);
  host_emit(0, bytecode, (uint32_t)bytes);
  return 0;
}
