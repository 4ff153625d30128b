// Modules come from the host, which alone decides what a specifier may reach.

#include "guest.h"
#include "host.h"

// The text that the host staged for the module `name`, NUL-terminated. NULL with an exception if
// the host staged an error. A module is asked for in two steps, since only the guest can allocate
// in its memory: host_stage() gives the size, and host_unstage() copies the text.
static char* staged(JSContext* ctx, const char* name, int32_t answer, uint32_t* size) {
  *size = (uint32_t)(answer < 0 ? -answer - 1 : answer);
  char* text = js_malloc(ctx, *size + 1);
  if (!text) return NULL;
  host_unstage(text);
  text[*size] = 0;
  if (answer >= 0) return text;
  uint32_t place[2];  // line and column
  memcpy(place, text, sizeof place);
  const char* message = text + sizeof place;
  if (place[0])
    engine_throw_syntax_error(ctx, message, name, place[0], place[1]);
  else
    engine_throw_reference_error(ctx, message);
  js_free(ctx, text);
  return NULL;
}

// The names of our own modules begin like this. The host is not asked for them.
static const char own_scheme[] = "cordon:";
static const char task_module[] = "cordon:task";

static bool is_own_name(const char* name) {
  return strncmp(name, own_scheme, sizeof own_scheme - 1) == 0;
}

// What `with { type: … }` asks for. -1 with an exception if there is no such type.
enum ModuleType { MODULE_SCRIPT, MODULE_JSON, MODULE_TEXT, MODULE_BYTES };

// The type that an attribute asks for. Key and value are NULL if they could not be read.
static int type_of_attribute(JSContext* ctx, const char* key, const char* value) {
  if (!key || !value) return -1;
  if (strcmp(key, "type") != 0) {
    JS_ThrowSyntaxError(ctx, "there is no import attribute '%.100s', only type", key);
    return -1;
  }
  if (strcmp(value, "json") == 0) return MODULE_JSON;
  if (strcmp(value, "text") == 0) return MODULE_TEXT;
  if (strcmp(value, "bytes") == 0) return MODULE_BYTES;
  JS_ThrowSyntaxError(ctx, "there is no import type '%.100s': there is 'json', 'text' and 'bytes'",
                      value);
  return -1;
}

static int module_type(JSContext* ctx, JSValueConst attributes) {
  if (!JS_IsObject(attributes)) return MODULE_SCRIPT;
  JSPropertyEnum* names = NULL;
  uint32_t count = 0;
  if (JS_GetOwnPropertyNames(ctx, &names, &count, attributes, JS_GPN_STRING_MASK)) return -1;
  int type = MODULE_SCRIPT;
  for (uint32_t i = 0; i < count && type >= 0; ++i) {
    const char* key = JS_AtomToCString(ctx, names[i].atom);
    JSValue value = JS_GetProperty(ctx, attributes, names[i].atom);
    const char* text = JS_ToCString(ctx, value);
    type = type_of_attribute(ctx, key, text);
    JS_FreeCString(ctx, text);
    JS_FreeValue(ctx, value);
    JS_FreeCString(ctx, key);
  }
  JS_FreePropertyEnum(ctx, names, count);
  return type;
}

static int check_attributes(JSContext* ctx, void* opaque, JSValueConst attributes) {
  (void)opaque;
  return module_type(ctx, attributes) < 0 ? -1 : 0;
}

static char* resolve(JSContext* ctx, const char* base, const char* specifier,
                     JSValueConst attributes, void* opaque) {
  (void)opaque;
  if (strcmp(specifier, task_module) == 0) return js_strdup(ctx, specifier);
  if (is_own_name(specifier)) {
    JS_ThrowReferenceError(ctx, "Cannot find module '%.100s': there is %s", specifier, task_module);
    return NULL;
  }
  int type = module_type(ctx, attributes);
  if (type < 0) return NULL;
  enum StageKind what = type == MODULE_TEXT    ? STAGE_RESOLVE_TEXT
                        : type == MODULE_BYTES ? STAGE_RESOLVE_BYTES
                                               : STAGE_RESOLVE;
  uint32_t size;
  int32_t answer =
      host_stage(what, base, (uint32_t)strlen(base), specifier, (uint32_t)strlen(specifier));
  return staged(ctx, specifier, answer, &size);
}

static bool is_json_name(const char* name) {
  size_t size = strlen(name);
  return size >= 5 && strcmp(name + size - 5, ".json") == 0;
}

static int export_value(JSContext* ctx, JSModuleDef* module) {
  return JS_SetModuleExport(ctx, module, "default", JS_GetModulePrivateValue(ctx, module));
}

// Takes `value`: the default export of a module that has nothing else.
static JSModuleDef* new_value_module(JSContext* ctx, const char* name, JSValue value) {
  if (JS_IsException(value)) return NULL;
  JSModuleDef* module = JS_NewCModule(ctx, name, export_value);
  if (!module) {
    JS_FreeValue(ctx, value);
    return NULL;
  }
  JS_AddModuleExport(ctx, module, "default");
  JS_SetModulePrivateValue(ctx, module, value);
  return module;
}

// A Uint8Array whose buffer cannot be changed, since all that import it share it.
static JSValue new_bytes(JSContext* ctx, const char* bytes, uint32_t size) {
  JSValue array = JS_NewUint8ArrayCopy(ctx, (const uint8_t*)bytes, size);
  if (JS_IsException(array)) return array;
  JSValue buffer = JS_GetTypedArrayBuffer(ctx, array, NULL, NULL, NULL);
  JS_SetImmutableArrayBuffer(buffer, true);
  JS_FreeValue(ctx, buffer);
  return array;
}

static int export_task(JSContext* ctx, JSModuleDef* module) {
  return JS_SetModuleExport(ctx, module, "TaskError", task_error_class(ctx));
}

static JSModuleDef* load_task(JSContext* ctx) {
  JSModuleDef* module = JS_NewCModule(ctx, task_module, export_task);
  if (module) JS_AddModuleExport(ctx, module, "TaskError");
  return module;
}

static JSModuleDef* load_script(JSContext* ctx, const Source* text) {
  JSValue module = source_compile(ctx, text, JS_EVAL_TYPE_MODULE);
  if (JS_IsException(module)) return NULL;
  JSModuleDef* definition = JS_VALUE_GET_PTR(module);
  JS_FreeValue(ctx, module);  // the context keeps it
  return definition;
}

static JSModuleDef* load(JSContext* ctx, const char* name, void* opaque, JSValueConst attributes) {
  (void)opaque;
  int type = module_type(ctx, attributes);
  if (type < 0) return NULL;
  if (is_own_name(name)) return load_task(ctx);
  if (type == MODULE_SCRIPT && is_json_name(name)) {
    JS_ThrowTypeError(ctx, "'%s' is JSON: import it with { type: 'json' }", name);
    return NULL;
  }
  enum StageKind what = type == MODULE_TEXT    ? STAGE_LOAD_TEXT
                        : type == MODULE_BYTES ? STAGE_LOAD_BYTES
                                               : STAGE_LOAD;
  uint32_t size;
  int32_t answer = host_stage(what, name, (uint32_t)strlen(name), NULL, 0);
  char* bytes = staged(ctx, name, answer, &size);
  if (!bytes) return NULL;
  Source text = {.name = name, .line = 1, .source = bytes + sizeof text.size};
  memcpy(&text.size, bytes, sizeof text.size);
  text.runs = (const uint8_t*)text.source + text.size + 1;
  text.runs_size = (uint32_t)(bytes + size - (const char*)text.runs);
  JSModuleDef* module = NULL;
  switch (type) {
    case MODULE_SCRIPT:
      module = load_script(ctx, &text);
      break;
    case MODULE_JSON:
      module = new_value_module(ctx, name, JS_ParseJSON(ctx, text.source, text.size, name));
      break;
    case MODULE_TEXT:
      module = new_value_module(ctx, name, JS_NewStringLen(ctx, text.source, text.size));
      break;
    case MODULE_BYTES:
      module = new_value_module(ctx, name, new_bytes(ctx, text.source, text.size));
      break;
  }
  js_free(ctx, bytes);
  return module;
}

void modules_install(JSRuntime* runtime) {
  JS_SetModuleLoaderFunc2(runtime, NULL, load, check_attributes, NULL);
  JS_SetModuleNormalizeFunc2(runtime, resolve);
}
