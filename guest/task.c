// Tasks: the link between the host and web/task.js, which makes what a module's default export
// sees.

#include "guest.h"
#include "host.h"
#include "web/web.h"

// task.js registers here what is to be called.
enum { START, ABORT, STREAM, ERROR_PARTS, CONTEXT, ERROR_CLASS, HOOKS };
static JSValue hooks[HOOKS];
// The values of a TaskRequest. They are read when the task first asks for one of them.
static uint8_t* context_bytes;
static bool has_signal;  // the task has asked for the signal of its request

// setTaskHooks(start, abort, stream, errorParts, context, TaskError)
static JSValue set_hooks(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc;
  for (int i = 0; i < HOOKS; ++i) hooks[i] = JS_DupValue(ctx, argv[i]);
  return JS_UNDEFINED;
}

// Calls without an answer have no slot, and their number is 0.
static void tell(JSContext* ctx, uint32_t port, JSValueConst value) {
  Buffer message = {0};
  Refused refused;
  put_u64(&message, 0);
  put_u32(&message, port);
  if (value_put(&message, ctx, value, &refused)) host_emit(EMIT_CALL, message.data, message.size);
  free(message.data);
}

// readStream(number): a promise for a Uint8Array, or for undefined at the end.
static JSValue read_stream(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc;
  return tools_call(ctx, PORT_READ, argv[0]);
}

static JSValue close_stream(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc;
  tell(ctx, PORT_CLOSE, argv[0]);
  return JS_UNDEFINED;
}

// startStream(head): a content type, undefined, or {contentType, status, headers}
static JSValue start_stream(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc;
  tell(ctx, PORT_STREAM, argv[0]);
  return JS_UNDEFINED;
}

// writeStream(bytes, from): a promise that is fulfilled when there is room for more, or undefined
// if there is nothing at `from`. The host copies the bytes from where they lie.
static JSValue write_stream(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  enum { MOST = 1 << 20 };  // so little more than this waits on the host's side
  (void)self, (void)argc;
  uint8_t* bytes;
  uint32_t size, from;
  if (JS_ToUint32(ctx, &from, argv[1])) return JS_EXCEPTION;
  if (!engine_bytes(argv[0], &bytes, &size) || from >= size) return JS_UNDEFINED;
  uint32_t left = size - from;
  host_emit(EMIT_BYTES, bytes + from, left < MOST ? left : MOST);
  return tools_call(ctx, PORT_WRITE, JS_UNDEFINED);
}

// taskContext(): {method, url, headers, contexts}; once.
static JSValue task_context(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc, (void)argv;
  if (!context_bytes) return JS_UNDEFINED;
  static const char* const names[] = {"method", "url", "headers", "contexts"};
  Cursor cursor = {context_bytes};
  JSValue context = JS_NewObject(ctx);
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    JSValue value = value_take(&cursor, ctx);
    if (JS_IsException(value)) {  // a context holds a bad regular expression
      JS_FreeValue(ctx, JS_GetException(ctx));
      value = JS_UNDEFINED;
    }
    JS_DefinePropertyValueStr(ctx, context, names[i], value, JS_PROP_C_W_E);
  }
  free(context_bytes);
  context_bytes = NULL;
  return context;
}

static JSValue note_signal(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)ctx, (void)self, (void)argc, (void)argv;
  has_signal = true;
  return JS_UNDEFINED;
}

bool task_may_hear_of_abort(void) { return has_signal; }

void task_natives(JSContext* ctx, JSValueConst natives) {
  web_add_native(ctx, natives, "setTaskHooks", set_hooks, HOOKS);
  web_add_native(ctx, natives, "readStream", read_stream, 1);
  web_add_native(ctx, natives, "closeStream", close_stream, 1);
  web_add_native(ctx, natives, "startStream", start_stream, 1);
  web_add_native(ctx, natives, "writeStream", write_stream, 2);
  web_add_native(ctx, natives, "taskContext", task_context, 0);
  web_add_native(ctx, natives, "noteSignal", note_signal, 0);
}

JSValue task_take(JSContext* ctx, Cursor* message, uint8_t flags, JSValueConst input) {
  uint32_t size;
  const char* context = take_string(message, &size);
  context_bytes = malloc(size);
  if (!context_bytes) __builtin_trap();
  memcpy(context_bytes, context, size);

  JSValue files = value_take(message, ctx);
  JSValue result = JS_DupValue(ctx, hooks[CONTEXT]);
  bool has_body = flags & INVOKE_HAS_BODY;
  if (!JS_IsException(input) && (has_body || !JS_IsUndefined(files))) {
    JSValueConst arguments[] = {input, files, JS_NewBool(ctx, has_body)};
    JSValue done = JS_Call(ctx, hooks[START], JS_UNDEFINED, 3, arguments);
    if (JS_IsException(done)) {
      JS_FreeValue(ctx, result);
      result = JS_EXCEPTION;
    }
    JS_FreeValue(ctx, done);
  }
  JS_FreeValue(ctx, files);
  return result;
}

void task_abort(JSContext* ctx) {
  JSValue done = JS_Call(ctx, hooks[ABORT], JS_UNDEFINED, 0, NULL);
  if (JS_IsException(done)) {
    JSValue thrown = JS_GetException(ctx);
    program_fail(ctx, thrown);
    JS_FreeValue(ctx, thrown);
  }
  JS_FreeValue(ctx, done);
}

JSValue task_stream(JSContext* ctx, JSValueConst result) {
  if (!JS_IsObject(result) || JS_IsArray(result)) return JS_UNDEFINED;
  return JS_Call(ctx, hooks[STREAM], JS_UNDEFINED, 1, &result);
}

bool task_tell_error(JSContext* ctx, JSValueConst thrown, Refused* refused) {
  if (!engine_is_error(thrown)) return true;
  JSValue parts = JS_Call(ctx, hooks[ERROR_PARTS], JS_UNDEFINED, 1, &thrown);
  bool good = true;
  if (JS_IsException(parts)) {
    JS_FreeValue(ctx, JS_GetException(ctx));
  } else if (!JS_IsUndefined(parts)) {
    Buffer message = {0};
    put_u64(&message, 0);
    put_u32(&message, PORT_FAIL);
    good = value_put(&message, ctx, parts, refused);
    if (good) host_emit(EMIT_CALL, message.data, message.size);
    free(message.data);
  }
  JS_FreeValue(ctx, parts);
  return good;
}

JSValue task_error_class(JSContext* ctx) { return JS_DupValue(ctx, hooks[ERROR_CLASS]); }
