// URL and URLSearchParams as values: url.js tells here how to read and to make one.

#include "web.h"

enum { TEXT_OF_URL, TEXT_OF_PARAMS, NEW_URL, NEW_PARAMS, HOOKS };
static JSValue hooks[HOOKS];

// setUrlHooks(textOfUrl, textOfParams, newUrl, newParams)
static JSValue set_url_hooks(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc;
  for (int i = 0; i < HOOKS; ++i) hooks[i] = JS_DupValue(ctx, argv[i]);
  return JS_UNDEFINED;
}

JSValue web_url_text(JSContext* ctx, JSValueConst object, bool* is_params) {
  *is_params = false;
  if (web_is_url(object)) return JS_Call(ctx, hooks[TEXT_OF_URL], JS_UNDEFINED, 1, &object);
  // Parameters are ordinary objects, but never plain: most objects need no call.
  if (engine_kind(object) != KIND_OBJECT || engine_is_plain(ctx, object) != 0) return JS_UNDEFINED;
  *is_params = true;
  return JS_Call(ctx, hooks[TEXT_OF_PARAMS], JS_UNDEFINED, 1, &object);
}

JSValue web_new_url(JSContext* ctx, JSValueConst text, bool is_params) {
  return JS_Call(ctx, hooks[is_params ? NEW_PARAMS : NEW_URL], JS_UNDEFINED, 1, &text);
}

void url_value_natives(JSContext* ctx, JSValueConst natives) {
  web_add_native(ctx, natives, "setUrlHooks", set_url_hooks, HOOKS);
}
