// URL by ada, which Node uses too, and the queries of URLSearchParams. The class is C, since
// programs make many of them; its `searchParams` and what else is not needed often are in url.js.

#include "ada_c.h"
#include "web.h"

typedef struct {
  ada_url parsed;
  JSValue params;  // the URLSearchParams, once it was asked for
} Url;

static JSClassID url_class;
static JSValue url_constructor;
static JSAtom prototype_atom;
// Functions of url.js: makeParams(url) and updateParams(params, query).
static JSValue make_params;
static JSValue update_params;

bool web_is_url(JSValueConst object) { return JS_GetClassID(object) == url_class; }

static void finalize(JSRuntime* runtime, JSValueConst object) {
  Url* url = JS_GetOpaque(object, url_class);
  if (!url) return;
  JS_FreeValueRT(runtime, url->params);
  ada_free(url->parsed);
  free(url);
}

static void mark(JSRuntime* runtime, JSValueConst object, JS_MarkFunc* mark_value) {
  Url* url = JS_GetOpaque(object, url_class);
  if (url) JS_MarkValue(runtime, url->params, mark_value);
}

// A text as UTF-8: where it lies, if it is ASCII, else in a buffer.
typedef struct {
  const char* data;
  uint32_t size;
  EngineText text;
  Buffer buffer;
} Input;

static bool is_ascii(const uint8_t* bytes, uint32_t size) {
  uint32_t i = 0;
  for (; i + 8 <= size; i += 8) {
    uint64_t eight;
    memcpy(&eight, bytes + i, 8);
    if (eight & 0x8080808080808080u) return false;
  }
  for (; i < size; ++i)
    if (bytes[i] >= 0x80) return false;
  return true;
}

static bool take_input(JSContext* ctx, JSValueConst value, Input* input) {
  input->buffer = (Buffer){0};
  if (!engine_text(ctx, value, &input->text)) return false;
  if (input->text.narrow && is_ascii(input->text.narrow, input->text.length)) {
    input->data = (const char*)input->text.narrow;
    input->size = input->text.length;
    return true;
  }
  if (!put_scalars(&input->buffer, ctx, input->text.owner)) return false;
  input->data = (const char*)input->buffer.data;
  input->size = input->buffer.size;
  return true;
}

static void free_input(JSContext* ctx, Input* input) {
  free(input->buffer.data);
  engine_text_free(ctx, &input->text);
}

// A parsed URL, or NULL if it is invalid or `*threw`.
static ada_url parse(JSContext* ctx, JSValueConst text, JSValueConst base, bool* threw) {
  Input input, base_input;
  *threw = true;
  if (!take_input(ctx, text, &input)) return NULL;
  bool has_base = !JS_IsUndefined(base);
  if (has_base && !take_input(ctx, base, &base_input)) {
    free_input(ctx, &input);
    return NULL;
  }
  *threw = false;
  ada_url parsed =
      has_base ? ada_parse_with_base(input.data, input.size, base_input.data, base_input.size)
               : ada_parse(input.data, input.size);
  if (has_base) free_input(ctx, &base_input);
  free_input(ctx, &input);
  if (ada_is_valid(parsed)) return parsed;
  ada_free(parsed);
  return NULL;
}

static JSValue throw_invalid(JSContext* ctx, JSValueConst input) {
  JSValue text = JS_ToString(ctx, input);
  if (JS_IsException(text)) return text;
  JS_ThrowTypeError(ctx, "Invalid URL");
  JSValue error = JS_GetException(ctx);
  JS_DefinePropertyValueStr(ctx, error, "code", JS_NewString(ctx, "ERR_INVALID_URL"),
                            JS_PROP_C_W_E);
  JS_DefinePropertyValueStr(ctx, error, "input", text, JS_PROP_C_W_E);
  return JS_Throw(ctx, error);
}

static JSValue argument(int argc, JSValueConst* argv, int index) {
  return index < argc ? argv[index] : JS_UNDEFINED;
}

static JSValue construct(JSContext* ctx, JSValueConst new_target, int argc, JSValueConst* argv) {
  bool threw;
  ada_url parsed = parse(ctx, argument(argc, argv, 0), argument(argc, argv, 1), &threw);
  if (!parsed) return threw ? JS_EXCEPTION : throw_invalid(ctx, argument(argc, argv, 0));
  JSValue object;
  if (JS_VALUE_GET_PTR(new_target) == JS_VALUE_GET_PTR(url_constructor)) {
    object = JS_NewObjectClass(ctx, url_class);
  } else {
    JSValue prototype = JS_GetProperty(ctx, new_target, prototype_atom);
    object = JS_IsException(prototype) ? JS_EXCEPTION
                                       : JS_NewObjectProtoClass(ctx, prototype, url_class);
    JS_FreeValue(ctx, prototype);
  }
  if (JS_IsException(object)) {
    ada_free(parsed);
    return object;
  }
  Url* url = malloc(sizeof *url);
  if (!url) __builtin_trap();
  *url = (Url){parsed, JS_UNDEFINED};
  JS_SetOpaque(object, url);
  return object;
}

// urlCanParse(text, base or undefined)
static JSValue can_parse(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self;
  bool threw;
  ada_url parsed = parse(ctx, argument(argc, argv, 0), argument(argc, argv, 1), &threw);
  if (threw) return JS_EXCEPTION;
  if (parsed) ada_free(parsed);
  return JS_NewBool(ctx, parsed != NULL);
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
};

static JSValue get_part(JSContext* ctx, JSValueConst self, int part) {
  static ada_string (*const getters[])(ada_url) = {
      ada_get_href,     ada_get_protocol, ada_get_username, ada_get_password, ada_get_host,
      ada_get_hostname, ada_get_port,     ada_get_pathname, ada_get_search,   ada_get_hash};
  Url* url = JS_GetOpaque2(ctx, self, url_class);
  if (!url) return JS_EXCEPTION;
  ada_string text = getters[part](url->parsed);
  return JS_NewStringLen(ctx, text.data, text.length);
}

static JSValue get_origin(JSContext* ctx, JSValueConst self) {
  Url* url = JS_GetOpaque2(ctx, self, url_class);
  if (!url) return JS_EXCEPTION;
  ada_owned_string origin = ada_get_origin(url->parsed);
  JSValue text = JS_NewStringLen(ctx, origin.data, origin.length);
  ada_free_owned_string(origin);
  return text;
}

static JSValue href_method(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)argc, (void)argv;
  return get_part(ctx, self, HREF);
}

// The query has changed: so have the parameters.
static JSValue tell_params(JSContext* ctx, JSValueConst self, Url* url) {
  if (JS_IsUndefined(url->params)) return JS_UNDEFINED;
  JSValue query = get_part(ctx, self, SEARCH);
  JSValueConst arguments[] = {url->params, query};
  JSValue done = JS_Call(ctx, update_params, JS_UNDEFINED, 2, arguments);
  JS_FreeValue(ctx, query);
  return done;
}

static bool set_text(ada_url parsed, int part, const char* data, uint32_t size) {
  static bool (*const setters[])(ada_url, const char*, size_t) = {
      ada_set_href, ada_set_protocol, ada_set_username, ada_set_password,
      ada_set_host, ada_set_hostname, ada_set_port,     ada_set_pathname};
  if (part == SEARCH)
    ada_set_search(parsed, data, size);
  else if (part == HASH)
    ada_set_hash(parsed, data, size);
  else
    return setters[part](parsed, data, size);
  return true;
}

static JSValue set_part(JSContext* ctx, JSValueConst self, JSValueConst value, int part) {
  Url* url = JS_GetOpaque2(ctx, self, url_class);
  if (!url) return JS_EXCEPTION;
  Input input;
  if (!take_input(ctx, value, &input)) return JS_EXCEPTION;
  bool done = set_text(url->parsed, part, input.data ? input.data : "", input.size);
  free_input(ctx, &input);
  if (part == HREF && !done) return throw_invalid(ctx, value);
  return part == HREF || part == SEARCH ? tell_params(ctx, self, url) : JS_UNDEFINED;
}

static JSValue get_params(JSContext* ctx, JSValueConst self) {
  Url* url = JS_GetOpaque2(ctx, self, url_class);
  if (!url) return JS_EXCEPTION;
  if (JS_IsUndefined(url->params)) {
    JSValue params = JS_Call(ctx, make_params, JS_UNDEFINED, 1, &self);
    if (JS_IsException(params)) return params;
    url->params = params;
  }
  return JS_DupValue(ctx, url->params);
}

// urlSetQuery(url, query): what its own parameters say; they know already.
static JSValue set_query(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc;
  Url* url = JS_GetOpaque2(ctx, argv[0], url_class);
  Input input;
  if (!url || !take_input(ctx, argv[1], &input)) return JS_EXCEPTION;
  set_text(url->parsed, SEARCH, input.data ? input.data : "", input.size);
  free_input(ctx, &input);
  return JS_UNDEFINED;
}

// urlHelpers(makeParams, updateParams)
static JSValue set_helpers(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  (void)self, (void)argc;
  make_params = JS_DupValue(ctx, argv[0]);
  update_params = JS_DupValue(ctx, argv[1]);
  return JS_UNDEFINED;
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

static void install_class(JSContext* ctx, JSValueConst natives) {
  JSRuntime* runtime = JS_GetRuntime(ctx);
  static const JSClassDef definition = {
      .class_name = "URL", .finalizer = finalize, .gc_mark = mark};
  static const JSCFunctionListEntry members[] = {
      JS_CGETSET_MAGIC_DEF("href", get_part, set_part, HREF),
      JS_CGETSET_DEF("origin", get_origin, NULL),
      JS_CGETSET_MAGIC_DEF("protocol", get_part, set_part, PROTOCOL),
      JS_CGETSET_MAGIC_DEF("username", get_part, set_part, USERNAME),
      JS_CGETSET_MAGIC_DEF("password", get_part, set_part, PASSWORD),
      JS_CGETSET_MAGIC_DEF("host", get_part, set_part, HOST),
      JS_CGETSET_MAGIC_DEF("hostname", get_part, set_part, HOSTNAME),
      JS_CGETSET_MAGIC_DEF("port", get_part, set_part, PORT),
      JS_CGETSET_MAGIC_DEF("pathname", get_part, set_part, PATHNAME),
      JS_CGETSET_MAGIC_DEF("search", get_part, set_part, SEARCH),
      JS_CGETSET_DEF("searchParams", get_params, NULL),
      JS_CGETSET_MAGIC_DEF("hash", get_part, set_part, HASH),
      JS_CFUNC_DEF("toString", 0, href_method),
      JS_CFUNC_DEF("toJSON", 0, href_method),
  };
  JS_NewClassID(runtime, &url_class);
  JS_NewClass(runtime, url_class, &definition);
  prototype_atom = JS_NewAtom(ctx, "prototype");
  JSValue prototype = JS_NewObject(ctx);
  JS_SetPropertyFunctionList(ctx, prototype, members, sizeof members / sizeof *members);
  url_constructor = JS_NewCFunction2(ctx, construct, "URL", 1, JS_CFUNC_constructor, 0);
  JS_SetConstructor(ctx, url_constructor, prototype);
  JS_SetClassProto(ctx, url_class, prototype);
  JS_DefinePropertyValueStr(ctx, natives, "URL", JS_DupValue(ctx, url_constructor), JS_PROP_C_W_E);
}

void url_natives(JSContext* ctx, JSValueConst natives) {
  install_class(ctx, natives);
  web_add_native(ctx, natives, "urlCanParse", can_parse, 2);
  web_add_native(ctx, natives, "urlSetQuery", set_query, 2);
  web_add_native(ctx, natives, "urlHelpers", set_helpers, 2);
  web_add_native(ctx, natives, "queryParse", query_parse, 1);
  web_add_native(ctx, natives, "queryEscape", query_escape, 1);
}
