#include "locale.h"

const char english_locales[] = " en en-us ";

void asked_refuse(Asked* asked, const char* what) {
  if (!asked->failed)
    JS_ThrowRangeError(asked->ctx, "%s: %s not supported here yet; %s", asked->method, what,
                       asked->advice);
  asked->failed = true;
}

// A list of words with a blank before and behind each.
static bool has_word(const char* words, const char* word) {
  size_t size = strlen(word);
  for (const char* at = words; (at = strstr(at, word)); ++at)
    if (size > 0 && at[-1] == ' ' && at[size] == ' ') return true;
  return false;
}

static bool is_locale(const char* text) {
  if (!*text || strlen(text) > MAX_OPTION) return false;
  for (const char* at = text; *at; ++at)
    if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-", *at))
      return false;
  return true;
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c; }

// The first locale that is asked for, in lower case; empty if none is. The others only matter if
// the first is not known, and here it is known or refused.
static void first_locale(Asked* asked, JSValueConst locales, char locale[MAX_OPTION + 1]) {
  JSContext* ctx = asked->ctx;
  locale[0] = 0;
  if (JS_IsUndefined(locales) || asked->failed) return;
  if (JS_IsNull(locales)) {
    JS_ThrowTypeError(ctx, "Incorrect locale information provided");
    asked->failed = true;
    return;
  }
  JSValue first =
      JS_IsString(locales) ? JS_DupValue(ctx, locales) : JS_GetPropertyUint32(ctx, locales, 0);
  asked->failed = JS_IsException(first);
  if (asked->failed || JS_IsUndefined(first)) return;
  const char* text = JS_ToCString(ctx, first);
  JS_FreeValue(ctx, first);
  asked->failed = !text;
  if (!text) return;
  if (is_locale(text)) {
    size_t size = strlen(text);
    for (size_t i = 0; i <= size; ++i) locale[i] = lower(text[i]);
  } else {
    JS_ThrowRangeError(ctx, "Incorrect locale information provided");
    asked->failed = true;
  }
  JS_FreeCString(ctx, text);
}

static void check_locale(Asked* asked, JSValueConst locales, const char* known) {
  char locale[MAX_OPTION + 1], what[MAX_OPTION + 32];
  first_locale(asked, locales, locale);
  if (asked->failed || !locale[0] || has_word(known, locale)) return;
  snprintf(what, sizeof what, "the locale '%s' is", locale);
  asked_refuse(asked, what);
}

Asked asked_for(JSContext* ctx, const char* method, const char* advice, int argc,
                JSValueConst* argv, int at, const char* known_locales) {
  Asked asked = {ctx, method, advice, argc > at + 1 ? argv[at + 1] : JS_UNDEFINED, false};
  check_locale(&asked, argc > at ? argv[at] : JS_UNDEFINED, known_locales);
  if (!asked.failed && JS_IsNull(asked.options)) {
    JS_ThrowTypeError(ctx, "Cannot convert null to an object");
    asked.failed = true;
  }
  return asked;
}

JSValue asked_option(Asked* asked, const char* name) {
  if (asked->failed || JS_IsUndefined(asked->options)) return JS_UNDEFINED;
  JSValue value = JS_GetPropertyStr(asked->ctx, asked->options, name);
  if (!JS_IsException(value)) return value;
  asked->failed = true;
  return JS_UNDEFINED;
}

void asked_refuse_option(Asked* asked, const char* name, const char* value) {
  char what[2 * MAX_OPTION + 32];
  if (value)
    snprintf(what, sizeof what, "%.24s: '%.24s' is", name, value);
  else
    snprintf(what, sizeof what, "the option %.24s is", name);
  asked_refuse(asked, what);
}

int asked_choice(Asked* asked, const char* name, const char* const* words) {
  JSValue value = asked_option(asked, name);
  if (JS_IsUndefined(value)) return 0;
  const char* text = JS_ToCString(asked->ctx, value);
  JS_FreeValue(asked->ctx, value);
  if (!text) {
    asked->failed = true;
    return 0;
  }
  int found = 0;
  for (int i = 0; words[i]; ++i)
    if (strcmp(words[i], text) == 0) found = i + 1;
  if (!found) asked_refuse_option(asked, name, text);
  JS_FreeCString(asked->ctx, text);
  return found;
}

void asked_without(Asked* asked, const char* const* names) {
  for (; *names; ++names) {
    JSValue value = asked_option(asked, *names);
    if (!JS_IsUndefined(value)) asked_refuse_option(asked, *names, NULL);
    JS_FreeValue(asked->ctx, value);
  }
}

int asked_count(Asked* asked, const char* name) {
  enum { MOST = 20 };
  JSValue value = asked_option(asked, name);
  if (JS_IsUndefined(value)) return -1;
  double number = 0;
  if (JS_ToFloat64(asked->ctx, &number, value)) asked->failed = true;
  JS_FreeValue(asked->ctx, value);
  if (!asked->failed && !(number >= 0 && number < MOST + 1)) {
    JS_ThrowRangeError(asked->ctx, "%s is out of range: it is from 0 to %d here", name, MOST);
    asked->failed = true;
  }
  return asked->failed ? -1 : (int)number;
}

bool asked_is_false(Asked* asked, const char* name) {
  JSValue value = asked_option(asked, name);
  bool is_set = !JS_IsUndefined(value);
  bool is_true = JS_ToBool(asked->ctx, value);
  JS_FreeValue(asked->ctx, value);
  return is_set && !is_true;
}

// Methods that are right without a locale, or in most of them: the engine's own, once that is
// known.

enum Guarded { GUARD_CASE, GUARD_ELEMENTS };

static JSValue guarded(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv, int what,
                       JSValueConst* data) {
  Asked asked = {ctx,
                 what == GUARD_CASE ? "toLocaleUpperCase and toLocaleLowerCase" : "toLocaleString",
                 what == GUARD_CASE ? "write toUpperCase() or toLowerCase()"
                                    : "write list.map((x) => …).join(', ')",
                 argc > 1 ? argv[1] : JS_UNDEFINED, false};
  JSValueConst locales = argc > 0 ? argv[0] : JS_UNDEFINED;
  if (what == GUARD_CASE) {
    // The languages that write some letters in another way.
    char locale[MAX_OPTION + 1], message[MAX_OPTION + 32];
    first_locale(&asked, locales, locale);
    char language[] = {' ', locale[0], locale[0] ? locale[1] : 0, 0};
    bool is_short = locale[0] && locale[1] && (!locale[2] || locale[2] == '-');
    if (!asked.failed && is_short && strstr(" az el hy lt tr", language)) {
      snprintf(message, sizeof message, "the locale '%s' is", locale);
      asked_refuse(&asked, message);
    }
  } else {
    check_locale(&asked, locales, english_locales);
    if (!JS_IsUndefined(asked.options)) asked_refuse(&asked, "options are");
  }
  return asked.failed ? JS_EXCEPTION : JS_Call(ctx, data[0], self, 0, NULL);
}

void locale_set(JSContext* ctx, JSValueConst prototype, const char* name, JSValue function) {
  JS_DefinePropertyValueStr(ctx, prototype, name, function,
                            JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE);
}

static void guard(JSContext* ctx, JSValueConst prototype, const char* name, enum Guarded what) {
  JSValue own = JS_GetPropertyStr(ctx, prototype, name);
  JSValue function = JS_NewCFunctionData2(ctx, guarded, name, 0, what, 1, &own);
  JS_FreeValue(ctx, own);
  locale_set(ctx, prototype, name, function);
}

static JSValue prototype_of(JSContext* ctx, JSValueConst global, const char* name) {
  JSValue constructor = JS_GetPropertyStr(ctx, global, name);
  JSValue prototype = JS_GetPropertyStr(ctx, constructor, "prototype");
  JS_FreeValue(ctx, constructor);
  return prototype;
}

void locale_install(JSContext* ctx, JSValueConst global) {
  JSValue number = prototype_of(ctx, global, "Number"),
          bigint = prototype_of(ctx, global, "BigInt");
  locale_numbers_install(ctx, number, bigint);
  JS_FreeValue(ctx, bigint);
  JS_FreeValue(ctx, number);

  JSValue date = prototype_of(ctx, global, "Date");
  locale_dates_install(ctx, date);
  JS_FreeValue(ctx, date);

  JSValue string = prototype_of(ctx, global, "String");
  guard(ctx, string, "toLocaleUpperCase", GUARD_CASE);
  guard(ctx, string, "toLocaleLowerCase", GUARD_CASE);
  JS_FreeValue(ctx, string);

  JSValue array = prototype_of(ctx, global, "Array");
  guard(ctx, array, "toLocaleString", GUARD_ELEMENTS);
  JS_FreeValue(ctx, array);
  JSValue bytes = prototype_of(ctx, global, "Uint8Array");
  JSValue typed = JS_GetPrototype(ctx, bytes);
  guard(ctx, typed, "toLocaleString", GUARD_ELEMENTS);
  JS_FreeValue(ctx, typed);
  JS_FreeValue(ctx, bytes);
}
