// console.log and the like: one line per call, on a level. Nothing that these functions are given
// makes them throw, and they need no `this`.

#include "console.h"

#include "host.h"
#include "inspect.h"

enum Level { LEVEL_LOG, LEVEL_INFO, LEVEL_WARN, LEVEL_ERROR, LEVEL_DEBUG };

enum {
  MOST_GROUPS = 32,  // deeper groups are not set in further
  MOST_LABELS = 256,
  MOST_UNITS = 1 << 24,
  MOST_LABEL_UNITS = 256,
};

static uint32_t groups;

static Buffer new_line(enum Level level) {
  Buffer line = {0};
  put_u8(&line, (uint8_t)level);
  return line;
}

static void put(Buffer* line, const char* text) { put_bytes(line, text, (uint32_t)strlen(text)); }

static void put_margin(Buffer* line) {
  uint32_t count = groups < MOST_GROUPS ? groups : MOST_GROUPS;
  while (count-- > 0) put_bytes(line, "  ", 2);
}

// The text of `line`, each of its lines set in by two blanks per group.
static Buffer set_in(const Buffer* line) {
  Buffer out = {0};
  uint32_t start = 1;
  put_u8(&out, line->data[0]);
  put_margin(&out);
  for (uint32_t i = 1; i < line->size; ++i) {
    if (line->data[i] != '\n') continue;
    put_bytes(&out, line->data + start, i + 1 - start);
    put_margin(&out);
    start = i + 1;
  }
  put_bytes(&out, line->data + start, line->size - start);
  return out;
}

// Takes the line's memory.
static JSValue emit(Buffer line) {
  if (groups > 0) {
    Buffer moved = set_in(&line);
    free(line.data);
    line = moved;
  }
  host_emit(EMIT_LOG, line.data, line.size);
  free(line.data);
  return JS_UNDEFINED;
}

// Formatting runs code of the program (toJSON), which may log. So each call has its own buffer.
static JSValue console_line(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv,
                            int level) {
  (void)self;
  Buffer line = new_line((enum Level)level);
  console_put_arguments(&line, ctx, argc, argv);
  return emit(line);
}

static JSValue console_dir(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self;
  Buffer line = new_line(LEVEL_LOG);
  JSValueConst value = argc > 0 ? argv[0] : JS_UNDEFINED;
  if (JS_IsString(value))
    inspect(&line, ctx, value, &inspect_nested);
  else
    console_put_argument(&line, ctx, value);
  return emit(line);
}

static JSValue console_table(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  Buffer line = new_line(LEVEL_LOG);
  JSValueConst columns = argc > 1 ? argv[1] : JS_UNDEFINED;
  if (argc > 0 && console_put_table(&line, ctx, argv[0], columns)) return emit(line);
  free(line.data);
  return console_line(ctx, self, argc < 1 ? argc : 1, argv, LEVEL_LOG);
}

static JSValue console_assert(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self;
  if (argc > 0 && JS_ToBool(ctx, argv[0])) return JS_UNDEFINED;
  Buffer line = new_line(LEVEL_ERROR);
  put(&line, "Assertion failed");
  if (argc > 1) {
    put(&line, ": ");
    console_put_arguments(&line, ctx, argc - 1, argv + 1);
  }
  return emit(line);
}

static JSValue console_trace(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self;
  static const char own_frame[] = "    at trace (native)\n";
  Buffer line = new_line(LEVEL_ERROR);
  put(&line, "Trace");
  if (argc > 0) {
    put(&line, ": ");
    console_put_arguments(&line, ctx, argc, argv);
  }
  JS_ThrowPlainError(ctx, "Trace");
  JSValue error = JS_GetException(ctx);
  JSValue stack = engine_is_error(error) ? engine_error_frames(ctx, error) : JS_UNDEFINED;
  const char* text = JS_IsString(stack) ? JS_ToCString(ctx, stack) : NULL;
  const char* frames = text;
  if (frames && strncmp(frames, own_frame, sizeof own_frame - 1) == 0)
    frames += sizeof own_frame - 1;
  if (frames && *frames) {
    size_t size = strlen(frames);
    while (size > 0 && frames[size - 1] == '\n') --size;
    put(&line, "\n");
    put_bytes(&line, frames, (uint32_t)size);
  }
  JS_FreeCString(ctx, text);
  JS_FreeValue(ctx, stack);
  JS_FreeValue(ctx, error);
  return emit(line);
}

static JSValue console_group(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  if (argc > 0) console_line(ctx, self, argc, argv, LEVEL_LOG);
  if (groups < UINT32_MAX) ++groups;
  return JS_UNDEFINED;
}

static JSValue console_group_end(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)ctx, (void)self, (void)argc, (void)argv;
  if (groups > 0) --groups;
  return JS_UNDEFINED;
}

static JSValue console_nothing(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)ctx, (void)self, (void)argc, (void)argv;
  return JS_UNDEFINED;
}

// Counters and clocks, by their labels.

typedef struct {
  Buffer label;
  uint32_t count;  // 0: there is no counter
  double since;    // negative: there is no clock
} Label;

static Label* labels;
static uint32_t label_count;

// Takes `name`. NULL if there are too many.
static Label* label_of(Buffer name) {
  for (uint32_t i = 0; i < label_count; ++i) {
    if (labels[i].label.size != name.size ||
        memcmp(labels[i].label.data, name.data, name.size) != 0)
      continue;
    free(name.data);
    return &labels[i];
  }
  if (label_count == MOST_LABELS) {
    free(name.data);
    return NULL;
  }
  if (!labels) labels = calloc(MOST_LABELS, sizeof *labels);
  if (!labels) __builtin_trap();
  labels[label_count] = (Label){name, 0, -1};
  return &labels[label_count++];
}

static Buffer label_name(JSContext* ctx, int argc, JSValueConst* argv) {
  Buffer name = {0};
  JSValue text =
      argc > 0 && !JS_IsUndefined(argv[0]) ? string_of(ctx, argv[0]) : JS_NewString(ctx, "default");
  if (JS_IsException(text) || !put_characters(&name, ctx, text, MOST_LABEL_UNITS)) {
    JS_FreeValue(ctx, JS_GetException(ctx));
    put(&name, "[object Object]");
  }
  JS_FreeValue(ctx, text);
  return name;
}

static JSValue warn_about(const Buffer* name, const char* before, const char* after) {
  Buffer line = new_line(LEVEL_WARN);
  put(&line, before);
  put_bytes(&line, name->data, name->size);
  put(&line, after);
  return emit(line);
}

static JSValue warn_of_labels(void) {
  Buffer line = new_line(LEVEL_WARN);
  put(&line, "Warning: there are too many labels for console.count() and console.time()");
  return emit(line);
}

static void put_digits(Buffer* line, uint64_t number, int least) {
  char digits[24];
  int at = sizeof digits;
  for (; number > 0 || least > 0; number /= 10, --least) digits[--at] = (char)('0' + number % 10);
  put_bytes(line, digits + at, (uint32_t)((int)sizeof digits - at));
}

static JSValue console_count(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self;
  Label* label = label_of(label_name(ctx, argc, argv));
  if (!label) return warn_of_labels();
  Buffer line = new_line(LEVEL_LOG);
  put_bytes(&line, label->label.data, label->label.size);
  put(&line, ": ");
  put_digits(&line, ++label->count, 1);
  return emit(line);
}

static JSValue console_count_reset(JSContext* ctx, JSValueConst self, int argc,
                                   JSValueConst* argv) {
  (void)self;
  Label* label = label_of(label_name(ctx, argc, argv));
  if (!label) return warn_of_labels();
  if (label->count == 0)
    return warn_about(&label->label, "Warning: Count for '", "' does not exist");
  label->count = 0;
  return JS_UNDEFINED;
}

static JSValue console_time(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self;
  Label* label = label_of(label_name(ctx, argc, argv));
  if (!label) return warn_of_labels();
  if (label->since >= 0)
    return warn_about(&label->label, "Warning: Label '", "' already exists for console.time()");
  label->since = engine_now(ctx);
  return JS_UNDEFINED;
}

// "1.5ms", "2.500s", "1:02.500 (m:ss.mmm)", "1:01:02.500 (h:mm:ss.mmm)"
static void put_duration(Buffer* line, double milliseconds) {
  uint64_t micros = milliseconds > 0 ? (uint64_t)(milliseconds * 1000 + 0.5) : 0;
  if (micros < 1000000) {
    put_digits(line, micros / 1000, 1);
    uint64_t rest = micros % 1000;
    int places = 3;
    for (; places > 0 && rest % 10 == 0; rest /= 10) --places;
    if (places > 0) {
      put(line, ".");
      put_digits(line, rest, places);
    }
    put(line, "ms");
    return;
  }
  uint64_t millis = micros / 1000;
  uint64_t minutes = millis / 60000;
  if (minutes >= 60) {
    put_digits(line, minutes / 60, 1);
    put(line, ":");
  }
  if (minutes > 0) {
    put_digits(line, minutes % 60, minutes >= 60 ? 2 : 1);
    put(line, ":");
  }
  put_digits(line, millis / 1000 % 60, minutes > 0 ? 2 : 1);
  put(line, ".");
  put_digits(line, millis % 1000, 3);
  put(line, minutes >= 60 ? " (h:mm:ss.mmm)" : minutes > 0 ? " (m:ss.mmm)" : "s");
}

static JSValue console_time_log(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv,
                                int is_end) {
  (void)self;
  double now = engine_now(ctx);
  Label* label = label_of(label_name(ctx, argc, argv));
  if (!label) return warn_of_labels();
  if (label->since < 0) {
    return warn_about(&label->label, "Warning: No such label '",
                      is_end ? "' for console.timeEnd()" : "' for console.timeLog()");
  }
  Buffer line = new_line(LEVEL_LOG);
  put_bytes(&line, label->label.data, label->label.size);
  put(&line, ": ");
  put_duration(&line, now - label->since);
  if (is_end) {
    label->since = -1;
  } else if (argc > 1) {
    put_u8(&line, ' ');
    console_put_arguments(&line, ctx, argc - 1, argv + 1);
  }
  return emit(line);
}

void console_uncaught(JSContext* ctx, JSValueConst thrown) {
  Buffer line = new_line(LEVEL_ERROR);
  put(&line, "Uncaught ");
  JSValue text = string_of(ctx, thrown);
  if (JS_IsException(text) || !put_characters(&line, ctx, text, MOST_UNITS))
    JS_FreeValue(ctx, JS_GetException(ctx));
  JS_FreeValue(ctx, text);
  host_emit(EMIT_LOG, line.data, line.size);
  free(line.data);
}

#define METHOD(name, function)                               \
  {                                                          \
    name, JS_PROP_C_W_E, JS_DEF_CFUNC, 0, {                  \
      .func = { 0, JS_CFUNC_generic, {.generic = function} } \
    }                                                        \
  }
#define METHOD_OF(name, function, magic)                                 \
  {                                                                      \
    name, JS_PROP_C_W_E, JS_DEF_CFUNC, magic, {                          \
      .func = { 0, JS_CFUNC_generic_magic, {.generic_magic = function} } \
    }                                                                    \
  }

// Each is made when a program first asks for it.
static const JSCFunctionListEntry methods[] = {
    METHOD_OF("log", console_line, LEVEL_LOG),
    METHOD_OF("info", console_line, LEVEL_INFO),
    METHOD_OF("warn", console_line, LEVEL_WARN),
    METHOD_OF("error", console_line, LEVEL_ERROR),
    METHOD_OF("debug", console_line, LEVEL_DEBUG),
    METHOD("dir", console_dir),
    METHOD_OF("dirxml", console_line, LEVEL_LOG),
    METHOD("table", console_table),
    METHOD("assert", console_assert),
    METHOD("trace", console_trace),
    METHOD("group", console_group),
    METHOD("groupCollapsed", console_group),
    METHOD("groupEnd", console_group_end),
    METHOD("count", console_count),
    METHOD("countReset", console_count_reset),
    METHOD("time", console_time),
    METHOD_OF("timeLog", console_time_log, false),
    METHOD_OF("timeEnd", console_time_log, true),
    METHOD("clear", console_nothing),
};

void console_install(JSContext* ctx, JSValueConst global) {
  JSValue console = JS_NewObject(ctx);
  JS_SetPropertyFunctionList(ctx, console, methods, sizeof methods / sizeof *methods);
  JS_DefinePropertyValueStr(ctx, global, "console", console,
                            JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE);
}
