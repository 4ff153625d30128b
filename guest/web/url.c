// URLs by ada, which Node uses too, and the queries of URLSearchParams. The classes themselves are
// in url.js; a handle here is a parsed URL.

#include "ada_c.h"
#include "web.h"

static JSClassID url_class;

static void finalize(JSRuntime* runtime, JSValueConst handle) {
  (void)runtime;
  ada_url url = JS_GetOpaque(handle, url_class);
  if (url) ada_free(url);
}

// urlParse(text, base or undefined): a handle, or undefined where it is no URL. Both are made into
// strings.
static JSValue url_parse(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc;
  Buffer text = {0}, base = {0};
  if (!put_scalars(&text, ctx, argv[0])) return JS_EXCEPTION;
  bool has_base = !JS_IsUndefined(argv[1]);
  if (has_base && !put_scalars(&base, ctx, argv[1])) {
    free(text.data);
    return JS_EXCEPTION;
  }
  ada_url url = has_base ? ada_parse_with_base((const char*)text.data, text.size,
                                               (const char*)base.data, base.size)
                         : ada_parse((const char*)text.data, text.size);
  free(text.data);
  free(base.data);
  if (!ada_is_valid(url)) {
    ada_free(url);
    return JS_UNDEFINED;
  }
  JSValue handle = JS_NewObjectProtoClass(ctx, JS_NULL, url_class);
  if (JS_IsException(handle))
    ada_free(url);
  else
    JS_SetOpaque(handle, url);
  return handle;
}

enum Part {
  HREF,
  PROTOCOL,
  USERNAME,
  PASSWORD,
  HOST,
  HOSTNAME,
  PORT,
  PATHNAME,
  SEARCH,
  HASH,
  ORIGIN,
};

// urlGet(handle, part)
static JSValue url_get(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc;
  static ada_string (*const getters[])(ada_url) = {
      ada_get_href,     ada_get_protocol, ada_get_username, ada_get_password, ada_get_host,
      ada_get_hostname, ada_get_port,     ada_get_pathname, ada_get_search,   ada_get_hash};
  ada_url url = JS_GetOpaque(argv[0], url_class);
  int part = JS_VALUE_GET_INT(argv[1]);
  if (part == ORIGIN) {
    ada_owned_string origin = ada_get_origin(url);
    JSValue text = JS_NewStringLen(ctx, origin.data, origin.length);
    ada_free_owned_string(origin);
    return text;
  }
  ada_string text = getters[part](url);
  return JS_NewStringLen(ctx, text.data, text.length);
}

// urlSet(handle, part, text): false where it could not be set.
static JSValue url_set(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc;
  static bool (*const setters[])(ada_url, const char*, size_t) = {
      ada_set_href, ada_set_protocol, ada_set_username, ada_set_password,
      ada_set_host, ada_set_hostname, ada_set_port,     ada_set_pathname};
  ada_url url = JS_GetOpaque(argv[0], url_class);
  int part = JS_VALUE_GET_INT(argv[1]);
  Buffer text = {0};
  if (!put_scalars(&text, ctx, argv[2])) return JS_EXCEPTION;
  const char* data = text.data ? (const char*)text.data : "";
  bool done = true;
  if (part == SEARCH)
    ada_set_search(url, data, text.size);
  else if (part == HASH)
    ada_set_hash(url, data, text.size);
  else
    done = setters[part](url, data, text.size);
  free(text.data);
  return JS_NewBool(ctx, done);
}

static int hex_digit(uint8_t c) {
  if (c >= '0' && c <= '9') return c - '0';
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// A name or a value of a query, as a string: `+` is a space, %XX a byte, and all of it UTF-8.
static JSValue unescaped(JSContext* ctx, const uint8_t* from, const uint8_t* end) {
  Buffer bytes = {0};
  uint8_t* to = buffer_room(&bytes, (uint32_t)(end - from) + 1);
  for (; from < end; ++from) {
    if (*from == '%' && end - from > 2 && hex_digit(from[1]) >= 0 && hex_digit(from[2]) >= 0) {
      *to++ = (uint8_t)(hex_digit(from[1]) << 4 | hex_digit(from[2]));
      from += 2;
    } else {
      *to++ = *from == '+' ? ' ' : *from;
    }
  }
  JSValue text = decoded_utf8(ctx, bytes.data, (uint32_t)(to - bytes.data));
  free(bytes.data);
  return text;
}

// queryParse(text): names and values in turn, in an array.
static JSValue query_parse(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc;
  Buffer text = {0};
  if (!put_scalars(&text, ctx, argv[0])) return JS_EXCEPTION;
  JSValue list = JS_NewArray(ctx);
  const uint8_t* end = text.data + text.size;
  uint32_t count = 0;
  for (const uint8_t* at = text.data; at < end;) {
    const uint8_t* stop = memchr(at, '&', (size_t)(end - at));
    if (!stop) stop = end;
    if (stop > at) {
      const uint8_t* equals = memchr(at, '=', (size_t)(stop - at));
      JSValue name = unescaped(ctx, at, equals ? equals : stop);
      JSValue value = unescaped(ctx, equals ? equals + 1 : stop, stop);
      JS_DefinePropertyValueUint32(ctx, list, count++, name, JS_PROP_C_W_E);
      JS_DefinePropertyValueUint32(ctx, list, count++, value, JS_PROP_C_W_E);
    }
    at = stop + 1;
  }
  free(text.data);
  return list;
}

// queryEscape(text): a name or a value as it stands in a query.
static JSValue query_escape(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc;
  Buffer text = {0}, out = {0};
  if (!put_scalars(&text, ctx, argv[0])) return JS_EXCEPTION;
  uint8_t* start = buffer_room(&out, text.size * 3 + 1);
  uint8_t* to = start;
  for (uint32_t i = 0; i < text.size; ++i) {
    uint8_t c = text.data[i];
    bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                 c == '*' || c == '-' || c == '.' || c == '_';
    if (plain || c == ' ') {
      *to++ = plain ? c : '+';
    } else {
      *to++ = '%';
      *to++ = (uint8_t)"0123456789ABCDEF"[c >> 4];
      *to++ = (uint8_t)"0123456789ABCDEF"[c & 15];
    }
  }
  JSValue escaped = JS_NewStringLen(ctx, (const char*)start, (size_t)(to - start));
  free(text.data);
  free(out.data);
  return escaped;
}

void url_natives(JSContext* ctx, JSValueConst natives) {
  JSRuntime* runtime = JS_GetRuntime(ctx);
  static const JSClassDef definition = {.class_name = "URL", .finalizer = finalize};
  JS_NewClassID(runtime, &url_class);
  JS_NewClass(runtime, url_class, &definition);
  web_add_native(ctx, natives, "urlParse", url_parse, 2);
  web_add_native(ctx, natives, "urlGet", url_get, 2);
  web_add_native(ctx, natives, "urlSet", url_set, 3);
  web_add_native(ctx, natives, "queryParse", query_parse, 1);
  web_add_native(ctx, natives, "queryEscape", query_escape, 1);
}
