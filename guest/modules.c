// Modules come from the host, which alone decides what a specifier may reach.

#include "guest.h"
#include "host.h"

// What the host staged, as a NUL-terminated text; NULL with an exception if it was an error.
static char* staged(JSContext* ctx, int32_t answer, uint32_t* size) {
  *size = (uint32_t)(answer < 0 ? -answer - 1 : answer);
  char* text = js_malloc(ctx, *size + 1);
  if (!text) return NULL;
  host_unstage(text);
  text[*size] = 0;
  if (answer >= 0) return text;
  JS_ThrowReferenceError(ctx, "%s", text);
  js_free(ctx, text);
  return NULL;
}

static char* resolve(JSContext* ctx, const char* base, const char* specifier, void* opaque) {
  (void)opaque;
  uint32_t size;
  int32_t answer = host_stage(STAGE_RESOLVE, base, (uint32_t)strlen(base), specifier,
                              (uint32_t)strlen(specifier));
  return staged(ctx, answer, &size);
}

static JSModuleDef* load(JSContext* ctx, const char* name, void* opaque) {
  (void)opaque;
  uint32_t size;
  char* source = staged(ctx, host_stage(STAGE_LOAD, name, (uint32_t)strlen(name), NULL, 0), &size);
  if (!source) return NULL;
  JSValue module =
      JS_Eval(ctx, source, size, name, JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
  js_free(ctx, source);
  if (JS_IsException(module)) return NULL;
  JSModuleDef* definition = JS_VALUE_GET_PTR(module);
  JS_FreeValue(ctx, module);  // the context keeps it
  return definition;
}

void modules_install(JSRuntime* runtime) { JS_SetModuleLoaderFunc(runtime, resolve, load, NULL); }
