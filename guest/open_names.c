// Namespaces without a list of functions: reading any name gives a function that calls the host by
// that name. The host decides whether there is such a function when it is called.
//
// The functions are kept beside the object, not in it, so that it has no properties but those the
// program gives it: it is empty to Object.keys, and freezing it changes nothing.

#include "guest.h"

// This many functions are kept, so that a name is the same function each time. Beyond that each
// read of a name makes a new one, which is freed when the program drops it.
enum { MOST_KEPT = 1000 };

typedef struct {
  uint32_t tool;
  uint32_t kept;
  JSValue functions;  // the functions by name, in an object without a prototype
} OpenNames;

static JSClassID open_class;

// Names that JavaScript looks up on any object when it awaits, prints, compares or clones one. If
// they were functions, a program would call tools by mistake.
static const char* const reserved[] = {
    "then",
    "toJSON",
    "constructor",
    "__proto__",
    "prototype",
    "valueOf",
    "toString",
    "toLocaleString",
    "hasOwnProperty",
    "isPrototypeOf",
    "__defineGetter__",
    "__defineSetter__",
    "__lookupGetter__",
    "__lookupSetter__",
    "propertyIsEnumerable",
};

static bool is_reserved(const EngineText* text) {
  if (!text->narrow) return false;
  for (size_t i = 0; i < sizeof reserved / sizeof *reserved; ++i) {
    if (strlen(reserved[i]) == text->length && memcmp(reserved[i], text->narrow, text->length) == 0)
      return true;
  }
  return false;
}

static bool is_control(uint32_t unit) { return unit < 0x20 || (unit >= 0x7F && unit < 0xA0); }

// Array indices are not names, nor is text that a terminal or a log could misread.
static bool is_name(const EngineText* text) {
  if (text->length == 0 || text->length > MOST_OPEN_NAME_UNITS || is_reserved(text)) return false;
  bool has_letters = false;
  for (uint32_t i = 0; i < text->length; ++i) {
    uint32_t unit = text->narrow ? text->narrow[i] : text->wide[i];
    if (is_control(unit)) return false;
    has_letters = has_letters || unit < '0' || unit > '9';
    if (unit < 0xD800 || unit > 0xDFFF) continue;
    uint32_t next = i + 1 < text->length ? text->wide[i + 1] : 0;
    if (unit > 0xDBFF || next < 0xDC00 || next > 0xDFFF) return false;
    ++i;
  }
  return has_letters;
}

// The name as a string, or undefined if it cannot be a function.
static JSValue function_name(JSContext* ctx, JSAtom atom) {
  JSValue name = JS_AtomToValue(ctx, atom);
  if (JS_IsException(name)) return name;
  bool is_symbol = !JS_IsString(name);
  EngineText text;
  if (is_symbol || !engine_text(ctx, name, &text)) {
    JS_FreeValue(ctx, name);
    return is_symbol ? JS_UNDEFINED : JS_EXCEPTION;
  }
  bool good = is_name(&text);
  engine_text_free(ctx, &text);
  if (good) return name;
  JS_FreeValue(ctx, name);
  return JS_UNDEFINED;
}

static JSValue call_by_name(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv,
                            int magic, JSValueConst* data) {
  (void)self, (void)magic;
  return tools_call_function(ctx, (uint32_t)JS_VALUE_GET_INT(data[0]), data[1], argc, argv);
}

// Takes `name`.
static JSValue new_function(JSContext* ctx, OpenNames* names, JSAtom atom, JSValue name) {
  JSValue data[] = {JS_NewInt32(ctx, (int32_t)names->tool), name};
  JSValue function = JS_NewCFunctionData(ctx, call_by_name, 1, 0, 2, (JSValueConst*)data);
  if (JS_IsException(function)) {
    JS_FreeValue(ctx, name);
    return function;
  }
  JS_DefinePropertyValueStr(ctx, function, "name", name, JS_PROP_CONFIGURABLE);
  if (names->kept < MOST_KEPT) {
    ++names->kept;
    JS_DefinePropertyValue(ctx, names->functions, atom, JS_DupValue(ctx, function), JS_PROP_C_W_E);
  }
  return function;
}

static JSValue get_inherited(JSContext* ctx, JSValueConst object, JSAtom atom,
                             JSValueConst receiver) {
  JSValue prototype = JS_GetPrototype(ctx, object);
  if (!JS_IsObject(prototype)) return JS_IsException(prototype) ? prototype : JS_UNDEFINED;
  JSValue value = engine_get(ctx, prototype, atom, receiver);
  JS_FreeValue(ctx, prototype);
  return value;
}

// Called for a name that is not among the object's own properties.
static JSValue get_property(JSContext* ctx, JSValueConst object, JSAtom atom,
                            JSValueConst receiver) {
  OpenNames* names = JS_GetOpaque(object, open_class);
  JSValue name = function_name(ctx, atom);
  if (JS_IsException(name)) return name;
  if (JS_IsUndefined(name)) return get_inherited(ctx, object, atom, receiver);

  JSValue function = JS_GetProperty(ctx, names->functions, atom);
  if (JS_IsUndefined(function)) return new_function(ctx, names, atom, name);
  JS_FreeValue(ctx, name);
  return function;
}

// Called before get_property, for own properties too.
static int has_property(JSContext* ctx, JSValueConst object, JSAtom atom) {
  int own = JS_GetOwnProperty(ctx, NULL, object, atom);
  if (own != 0) return own;
  JSValue name = function_name(ctx, atom);
  if (!JS_IsUndefined(name)) {
    JS_FreeValue(ctx, name);
    return JS_IsException(name) ? -1 : 1;
  }
  JSValue prototype = JS_GetPrototype(ctx, object);
  if (!JS_IsObject(prototype)) return JS_IsException(prototype) ? -1 : 0;
  int inherited = JS_HasProperty(ctx, prototype, atom);
  JS_FreeValue(ctx, prototype);
  return inherited;
}

static void finalize(JSRuntime* runtime, JSValueConst object) {
  OpenNames* names = JS_GetOpaque(object, open_class);
  if (!names) return;
  JS_FreeValueRT(runtime, names->functions);
  free(names);
}

static void mark(JSRuntime* runtime, JSValueConst object, JS_MarkFunc* mark_value) {
  OpenNames* names = JS_GetOpaque(object, open_class);
  if (names) JS_MarkValue(runtime, names->functions, mark_value);
}

void open_names_init(JSContext* ctx) {
  static JSClassExoticMethods exotic = {.has_property = has_property, .get_property = get_property};
  static const JSClassDef definition = {
      .class_name = "Provider", .finalizer = finalize, .gc_mark = mark, .exotic = &exotic};
  JSRuntime* runtime = JS_GetRuntime(ctx);
  JS_NewClassID(runtime, &open_class);
  JS_NewClass(runtime, open_class, &definition);
  JSValue ordinary = JS_NewObject(ctx);
  JS_SetClassProto(ctx, open_class, JS_GetPrototype(ctx, ordinary));
  JS_FreeValue(ctx, ordinary);
}

JSValue open_names_new(JSContext* ctx, uint32_t tool) {
  JSValue object = JS_NewObjectClass(ctx, open_class);
  OpenNames* names = malloc(sizeof *names);
  if (!names || JS_IsException(object)) __builtin_trap();
  *names = (OpenNames){.tool = tool, .functions = JS_NewObjectProto(ctx, JS_NULL)};
  JS_SetOpaque(object, names);
  return object;
}
