// What our JavaScript asks about values, and what it tells of errors.

#include "web.h"

// kind(value): enum EngineKind
static JSValue kind(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc;
  return JS_NewInt32(ctx, (int32_t)engine_kind(argv[0]));
}

// copyBytes(from, to): as many as both have.
static JSValue copy_bytes(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)ctx, (void)self, (void)argc;
  uint8_t *from, *to;
  uint32_t from_size, to_size;
  if (engine_bytes(argv[0], &from, &from_size) && engine_bytes(argv[1], &to, &to_size))
    memmove(to, from, from_size < to_size ? from_size : to_size);
  return JS_UNDEFINED;
}

static JSValue detach(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc;
  JS_DetachArrayBuffer(ctx, argv[0]);
  return JS_UNDEFINED;
}

static JSValue is_immutable(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc;
  return JS_NewBool(ctx, engine_is_immutable(argv[0]));
}

// isBytes(value): an ArrayBuffer or a view of one, not detached.
static JSValue is_bytes(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc;
  uint8_t* bytes;
  uint32_t size;
  return JS_NewBool(ctx, engine_bytes(argv[0], &bytes, &size));
}

// bytesCopy(value): what is in an ArrayBuffer or a view, as a new Uint8Array.
static JSValue bytes_copy(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc;
  uint8_t* bytes;
  uint32_t size;
  if (!engine_bytes(argv[0], &bytes, &size)) size = 0, bytes = NULL;
  return JS_NewUint8ArrayCopy(ctx, bytes, size);
}

// uncaught(error): a listener threw, and no one else hears of it.
static JSValue uncaught(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc;
  program_fail(ctx, argv[0]);
  return JS_UNDEFINED;
}

// markHandled(promise): its rejection is not to be reported.
static JSValue mark_handled(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc;
  engine_mark_handled(ctx, argv[0]);
  return JS_UNDEFINED;
}

void values_natives(JSContext* ctx, JSValueConst natives) {
  web_add_native(ctx, natives, "kind", kind, 1);
  web_add_native(ctx, natives, "copyBytes", copy_bytes, 2);
  web_add_native(ctx, natives, "detach", detach, 1);
  web_add_native(ctx, natives, "isImmutable", is_immutable, 1);
  web_add_native(ctx, natives, "isBytes", is_bytes, 1);
  web_add_native(ctx, natives, "bytesCopy", bytes_copy, 1);
  web_add_native(ctx, natives, "uncaught", uncaught, 1);
  web_add_native(ctx, natives, "markHandled", mark_handled, 1);
}
