#include "web.h"

// The function that guest/web/*.js make together, as bytecode without debug information. What
// parsing leaves behind would be part of the snapshot, so web/compiler.c did it in a module of its
// own (tools/guest.sh). It lies with the constants, away from what executions write to; a module's
// memory has no pages that cannot be written.
__attribute__((section(".rodata.web_bytecode"))) static uint8_t bytecode[] = {
#include "web_bytecode.inc"
};

void web_add_native(JSContext* ctx, JSValueConst natives, const char* name, JSCFunction* function,
                    int length) {
  JS_DefinePropertyValueStr(ctx, natives, name, JS_NewCFunction(ctx, function, name, length),
                            JS_PROP_C_W_E);
}

void web_install(JSContext* ctx, JSValueConst global) {
  JSValue natives = JS_NewObject(ctx);
  encoding_natives(ctx, natives);
  decoder_natives(ctx, natives);
  random_natives(ctx, natives);
  subtle_natives(ctx, natives);
  values_natives(ctx, natives);
  url_natives(ctx, natives);
  url_value_natives(ctx, natives);
  task_natives(ctx, natives);

  JSValue code = JS_ReadObject(ctx, bytecode, sizeof bytecode, JS_READ_OBJ_BYTECODE);
  JSValue install = JS_IsException(code) ? JS_EXCEPTION : JS_EvalFunction(ctx, code);
  JSValueConst arguments[] = {global, natives};
  JSValue done =
      JS_IsException(install) ? JS_EXCEPTION : JS_Call(ctx, install, JS_UNDEFINED, 2, arguments);
  if (JS_IsException(done)) __builtin_trap();  // the build fails
  JS_FreeValue(ctx, done);
  JS_FreeValue(ctx, install);
  JS_FreeValue(ctx, natives);
  memset(bytecode, 0, sizeof bytecode);  // zeros are no part of the snapshot
}
