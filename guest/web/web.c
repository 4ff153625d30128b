#include "web.h"

// All of guest/web/*.js as one function, in numbers, with a NUL behind it. tools/guest.sh makes it.
// (Not by #embed: ccache does not see what that reads.)
static char source[] = {
#include "web_js.inc"
    0};

void web_add_native(JSContext* ctx, JSValueConst natives, const char* name, JSCFunction* function,
                    int length) {
  JS_DefinePropertyValueStr(ctx, natives, name, JS_NewCFunction(ctx, function, name, length),
                            JS_PROP_C_W_E);
}

void web_install(JSContext* ctx, JSValueConst global) {
  JSValue natives = JS_NewObject(ctx);
  encoding_natives(ctx, natives);
  random_natives(ctx, natives);
  digest_natives(ctx, natives);
  values_natives(ctx, natives);

  engine_begin_hidden(ctx, "cordon:web");
  JSValue install = JS_Eval(ctx, source, sizeof source - 1, "cordon:web", JS_EVAL_TYPE_GLOBAL);
  JSValueConst arguments[] = {global, natives};
  JSValue done =
      JS_IsException(install) ? JS_EXCEPTION : JS_Call(ctx, install, JS_UNDEFINED, 2, arguments);
  if (JS_IsException(done)) __builtin_trap();  // the build fails
  JS_FreeValue(ctx, done);
  JS_FreeValue(ctx, install);
  JS_FreeValue(ctx, natives);
  engine_end_hidden(ctx);
  memset(source, 0, sizeof source);  // not part of the snapshot
}
