#include "inspector.h"

// Names of classes: the constructor's, in front of what the object is, and Symbol.toStringTag.

Class inspect_class_of(Inspector* in, JSValueConst object) {
  Class class = {engine_constructor_name(in->ctx, object), engine_tag(in->ctx, object)};
  if (JS_IsException(class.constructor)) {
    forget(in->ctx);
    class.constructor = JS_NewString(in->ctx, "Object");
  }
  return class;
}

void inspect_class_free(Inspector* in, Class* class) {
  JS_FreeValue(in->ctx, class->constructor);
  JS_FreeValue(in->ctx, class->tag);
}

static void put_size(Inspector* in, uint32_t size) {
  if (size == NO_SIZE) return;
  put(in, "(");
  inspect_number(in, size);
  put(in, ")");
}

static void put_tag(Inspector* in, const Class* class, const char* fallback) {
  if (!JS_IsString(class->tag)) return;
  bool is_known = JS_IsNull(class->constructor) ? inspect_is(in, class->tag, fallback)
                                                : are_same(in, class->constructor, class->tag);
  if (is_known) return;
  put(in, "[");
  inspect_line(in, class->tag, MAX_NAME_UNITS);
  put(in, "] ");
}

void inspect_prefix(Inspector* in, const Class* class, const char* fallback, uint32_t size) {
  if (JS_IsNull(class->constructor)) {
    put(in, "[");
    put(in, fallback);
    put_size(in, size);
    put(in, ": null prototype] ");
  } else {
    inspect_line(in, class->constructor, MAX_NAME_UNITS);
    put_size(in, size);
    put(in, " ");
  }
  put_tag(in, class, fallback);
}

// Functions.

static void put_function_name(Inspector* in, JSValueConst function, const char* before) {
  JSValue name = engine_data(in->ctx, function, "name", false);
  if (JS_IsString(name) && !inspect_is(in, name, "")) {
    put(in, before);
    inspect_line(in, name, MAX_NAME_UNITS);
  } else {
    put(in, " (anonymous)");
  }
  JS_FreeValue(in->ctx, name);
}

static void put_class(Inspector* in, JSValueConst function, const Class* class) {
  put(in, "[class");
  put_function_name(in, function, " ");
  if (JS_IsString(class->constructor) && !inspect_is(in, class->constructor, "Function")) {
    put(in, " [");
    inspect_line(in, class->constructor, MAX_NAME_UNITS);
    put(in, "]");
  }
  if (JS_IsString(class->tag) && !are_same(in, class->tag, class->constructor)) {
    put(in, " [");
    inspect_line(in, class->tag, MAX_NAME_UNITS);
    put(in, "]");
  }
  JSValue parent = engine_super(function);
  if (JS_IsNull(class->constructor)) {
    put(in, " extends null");
  } else if (JS_IsObject(parent) && JS_IsObject(engine_unproxied(parent))) {
    JSValue name = engine_data(in->ctx, engine_unproxied(parent), "name", false);
    if (JS_IsString(name) && !inspect_is(in, name, "")) {
      put(in, " extends ");
      inspect_line(in, name, MAX_NAME_UNITS);
    }
    JS_FreeValue(in->ctx, name);
  }
  JS_FreeValue(in->ctx, parent);
  put(in, "]");
}

void inspect_function(Inspector* in, JSValueConst function, const Class* class) {
  static const char* const kinds[] = {
      [FUNCTION_PLAIN] = "Function",
      [FUNCTION_GENERATOR] = "GeneratorFunction",
      [FUNCTION_ASYNC] = "AsyncFunction",
      [FUNCTION_ASYNC_GENERATOR] = "AsyncGeneratorFunction",
  };
  enum EngineFunction kind = engine_function(function);
  if (kind == FUNCTION_CLASS) {
    put_class(in, function, class);
    return;
  }
  put(in, "[");
  put(in, kinds[kind]);
  if (JS_IsNull(class->constructor)) put(in, " (null prototype)");
  put_function_name(in, function, ": ");
  put(in, "]");
  if (JS_IsString(class->constructor) && !inspect_is(in, class->constructor, kinds[kind]) &&
      !inspect_is(in, class->constructor, "Function")) {
    put(in, " ");
    inspect_line(in, class->constructor, MAX_NAME_UNITS);
  }
  if (JS_IsString(class->tag) && !are_same(in, class->tag, class->constructor)) {
    put(in, " [");
    inspect_line(in, class->tag, MAX_NAME_UNITS);
    put(in, "]");
  }
}

// Errors: the name, the message, and where it was made. Alone it is the whole stack.

bool inspect_is_shown_of_error(Inspector* in, JSValueConst error, JSAtom key) {
  static const char* const names[] = {"name", "message", "stack", "cause", "errors"};
  const char* name = JS_AtomToCString(in->ctx, key);
  bool is_shown = false;
  for (int i = 0; name && i < 5; ++i) {
    if (strcmp(name, names[i]) != 0) continue;
    JSValue value = engine_data(in->ctx, error, names[i], false);
    is_shown = i >= 3 || JS_IsString(value);
    JS_FreeValue(in->ctx, value);
  }
  JS_FreeCString(in->ctx, name);
  return is_shown;
}

static bool ends_with(const char* text, const char* end) {
  size_t length = strlen(text);
  size_t end_length = strlen(end);
  return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

// A class that did not give its errors a name is shown by its own.
static void put_error_name(Inspector* in, JSValueConst error, const Class* class) {
  JSValue name = engine_error_text(in->ctx, error, true);
  const char* own = JS_IsString(name) ? JS_ToCString(in->ctx, name) : NULL;
  const char* of_class =
      JS_IsString(class->constructor) ? JS_ToCString(in->ctx, class->constructor) : NULL;
  if (!own) {
    put(in, of_class ? of_class : "Error");
  } else if (!of_class || strcmp(own, of_class) == 0 || !ends_with(own, "Error")) {
    inspect_line(in, name, MAX_NAME_UNITS);
  } else if (strstr(of_class, own)) {
    inspect_line(in, class->constructor, MAX_NAME_UNITS);
  } else {
    inspect_line(in, class->constructor, MAX_NAME_UNITS);
    put(in, " [");
    inspect_line(in, name, MAX_NAME_UNITS);
    put(in, "]");
  }
  JS_FreeCString(in->ctx, own);
  JS_FreeCString(in->ctx, of_class);
  JS_FreeValue(in->ctx, name);
}

void inspect_error(Inspector* in, JSValueConst error, const Class* class) {
  JSContext* ctx = in->ctx;
  bool is_alone = in->rule.is_alone && in->level == 0;
  JSValue stack = engine_error_frames(ctx, error);
  const char* frames = JS_IsString(stack) ? JS_ToCString(ctx, stack) : NULL;
  if (frames && !*frames) {
    JS_FreeCString(ctx, frames);
    frames = NULL;
  }
  JSValue message = engine_error_text(ctx, error, false);
  if (!is_alone || !frames) put(in, "[");
  put_error_name(in, error, class);
  if (JS_IsString(message) && !inspect_is(in, message, "")) {
    put(in, ": ");
    if (is_alone)
      inspect_string(in, message, MAX_BYTES);
    else
      inspect_line(in, message, MAX_MESSAGE_UNITS);
  }
  if (frames && is_alone) {
    uint32_t size = (uint32_t)strlen(frames);
    while (size > 0 && frames[size - 1] == '\n') --size;
    put(in, "\n");
    put_bytes(in->out, frames, size < MAX_BYTES ? size : MAX_BYTES);
  } else if (frames) {
    const char* first = frames + strspn(frames, " \t");
    size_t size = strcspn(first, "\n");
    put(in, " ");
    put_bytes(in->out, first, (uint32_t)(size < MAX_NAME_UNITS ? size : MAX_NAME_UNITS));
  }
  if (!is_alone || !frames) put(in, "]");
  JS_FreeValue(ctx, message);
  JS_FreeCString(ctx, frames);
  JS_FreeValue(ctx, stack);
}

void inspect_error_member(Inspector* in, Braces* braces, JSValueConst error, const char* name) {
  JSValue value = engine_data(in->ctx, error, name, false);
  bool is_array = JS_IsArray(value);
  if (JS_IsUninitialized(value) || (strcmp(name, "errors") == 0 && !is_array)) return;
  JSAtom key = JS_NewAtom(in->ctx, name);
  JSPropertyDescriptor descriptor;
  if (JS_GetOwnProperty(in->ctx, &descriptor, error, key) > 0) {
    inspect_named(in, braces, error, key, descriptor.flags & JS_PROP_ENUMERABLE);
    descriptor_free(in->ctx, &descriptor);
  }
  JS_FreeAtom(in->ctx, key);
  JS_FreeValue(in->ctx, value);
}
