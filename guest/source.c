// The text of a program on its way to code, and what it is nearest to if it does not parse.

#include "guest.h"

JSValue source_compile(JSContext* ctx, const Source* text, int type) {
  JSEvalOptions options = {
      .version = JS_EVAL_OPTIONS_VERSION,
      .eval_flags = JS_EVAL_FLAG_COMPILE_ONLY | type,
      .filename = text->name,
      .line_num = text->line,
  };
  engine_set_runs(text->runs, text->runs_size, text->line);
  return JS_Eval2(ctx, text->source, text->size, &options);
}

JSValue source_compile_main_module(JSContext* ctx, const Source* text) {
  engine_next_module_is_program();
  return source_compile(ctx, text, JS_EVAL_TYPE_MODULE);
}

static bool property_is(JSContext* ctx, JSValueConst error, const char* name,
                        const char* expected) {
  JSValue value = JS_GetPropertyStr(ctx, error, name);
  const char* text = JS_ToCString(ctx, value);
  bool same = text && strcmp(text, expected) == 0;
  JS_FreeCString(ctx, text);
  JS_FreeValue(ctx, value);
  return same;
}

// The line and column of the first frame of an error's stack where it is "    at NAME:LINE:COLUMN",
// which is that of a text that did not parse; as one number, so that a later place is larger. -1:
// it is elsewhere.
static int64_t place_in(const Source* text, JSContext* ctx, JSValueConst error) {
  JSValue value = engine_is_error(error) ? engine_error_frames(ctx, error) : JS_UNDEFINED;
  const char* stack = JS_IsString(value) ? JS_ToCString(ctx, value) : NULL;
  size_t size = strlen(text->name);
  int64_t place = -1;
  if (stack && strncmp(stack, "    at ", 7) == 0 && strncmp(stack + 7, text->name, size) == 0 &&
      stack[7 + size] == ':') {
    char* end;
    int64_t line = strtol(stack + 8 + size, &end, 10);
    if (*end == ':') place = line << 32 | strtol(end + 1, NULL, 10);
  }
  JS_FreeCString(ctx, stack);
  JS_FreeValue(ctx, value);
  return place;
}

bool source_is_nearer_to_module(const Source* text, JSContext* ctx, JSValueConst script_error,
                                JSValueConst module_error) {
  int64_t module_place = place_in(text, ctx, module_error);
  return !property_is(ctx, module_error, "name", "SyntaxError") || module_place < 0 ||
         module_place > place_in(text, ctx, script_error);
}

bool source_may_be_module(const Source* text) {
  return strstr(text->source, "import") || strstr(text->source, "export") ||
         strstr(text->source, "using");
}
