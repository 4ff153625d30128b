// A namespace of many tools, of which a program uses few: their names stay with the host, which is
// asked for those that the program touches (STAGE_FIND_TOOL). Whatever needs all of them, such as
// Object.keys, makes the namespace an object like any other, with all of its functions
// (engine/asked_names.c).
//
// Where it lies in an image, the host that resumes it still knows the names: they are those of the
// numbers of its tools.

#include "guest.h"
#include "host.h"

// A program that touches more has all of them defined: looking through a longer list would take
// longer than that.
enum { MOST_TOUCHED = 16 };

typedef struct {
  EngineAskedNames engine;
  uint32_t place;  // among all namespaces
  uint32_t first;
  uint32_t count;
  uint32_t touched;
  JSAtom names[MOST_TOUCHED];
  // So that a name is the same function each time. The garbage collector does not know of them, so
  // they live as long as nobody lists the names, even if the program drops the namespace.
  JSValue functions[MOST_TOUCHED];
} AskedNames;

static int32_t ask(JSContext* ctx, const AskedNames* names, JSAtom name) {
  size_t size;
  const char* text = JS_AtomToCStringLen(ctx, &size, name);
  if (!text) __builtin_trap();
  int32_t position = host_stage(STAGE_FIND_TOOL, text, (uint32_t)size, (const char*)&names->place,
                                sizeof names->place);
  JS_FreeCString(ctx, text);
  return position;
}

static bool find(JSContext* ctx, EngineAskedNames* engine, JSAtom name, JSValue* value) {
  AskedNames* names = (AskedNames*)engine;
  for (uint32_t i = 0; i < names->touched; ++i) {
    if (names->names[i] != name) continue;
    if (value) *value = JS_DupValue(ctx, names->functions[i]);
    return true;
  }
  int32_t position = ask(ctx, names, name);
  if (position < 0) return false;
  if (!value) return true;
  if (names->touched == MOST_TOUCHED) {
    *value = JS_UNINITIALIZED;
    return true;
  }
  *value = tools_function(ctx, name, names->first + (uint32_t)position);
  names->names[names->touched] = JS_DupAtom(ctx, name);
  names->functions[names->touched++] = JS_DupValue(ctx, *value);
  return true;
}

static void define_all(JSContext* ctx, EngineAskedNames* engine, JSValueConst object) {
  AskedNames* names = (AskedNames*)engine;
  int32_t size =
      host_stage(STAGE_TOOL_NAMES, (const char*)&names->place, sizeof names->place, "", 0);
  uint8_t* text = malloc((size_t)size);
  if (!text) __builtin_trap();
  host_unstage(text);
  tools_define_many(ctx, object, names->first, names->count, text);
  for (uint32_t i = 0; i < names->touched; ++i) {
    JS_DefinePropertyValue(ctx, object, names->names[i], names->functions[i], JS_PROP_C_W_E);
    JS_FreeAtom(ctx, names->names[i]);
  }
  free(names);
}

JSValue asked_names_new(JSContext* ctx, uint32_t place, uint32_t first, uint32_t count) {
  AskedNames* names = malloc(sizeof *names);
  if (!names) __builtin_trap();
  names->engine = (EngineAskedNames){find, define_all};
  names->place = place;
  names->first = first;
  names->count = count;
  names->touched = 0;
  return engine_new_asked(ctx, &names->engine);
}
