#include "guest.h"

JSValue string_of(JSContext* ctx, JSValueConst value) {
  if (!JS_IsSymbol(value)) return JS_ToString(ctx, value);
  JSAtom atom = JS_ValueToAtom(ctx, value);
  const char* description = JS_AtomToCString(ctx, atom);
  JS_FreeAtom(ctx, atom);
  if (!description) return JS_EXCEPTION;
  Buffer text = {0};
  put_bytes(&text, "Symbol(", 7);
  put_bytes(&text, description, (uint32_t)strlen(description));
  put_u8(&text, ')');
  JS_FreeCString(ctx, description);
  JSValue string = JS_NewStringLen(ctx, (const char*)text.data, text.size);
  free(text.data);
  return string;
}
