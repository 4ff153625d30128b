// What the parts of the inspector share: inspect.c has objects and their members, inspect_text.c
// strings and primitives, inspect_classes.c classes, functions and errors, inspect_lists.c what has
// elements.
#pragma once

#include "inspect.h"

enum {
  MAX_DEPTH = 6,
  MAX_LEVELS = MAX_DEPTH + 3,
  MAX_BYTES = 1 << 20,        // no member begins behind these
  MAX_STRING_UNITS = 10000,   // of a string inside of another value
  MAX_NAME_UNITS = 1000,      // of a property, a class or a function
  MAX_MESSAGE_UNITS = 10000,  // of an error inside of another value
  MAX_ITEMS = 100,
  MAX_MEMBERS = 1000,
  MAX_CIRCULAR = 32,
};

typedef struct {
  JSContext* ctx;
  Buffer* out;
  uint32_t start;  // where the text begins
  InspectRule rule;
  JSValue seen[MAX_LEVELS];  // the objects around
  int32_t level;
  JSValue circular[MAX_CIRCULAR];  // objects that contain themselves: `<ref *1>` is the first
  int32_t circular_count;
} Inspector;

void inspect_value(Inspector* in, JSValueConst value);

static inline void forget(JSContext* ctx) { JS_FreeValue(ctx, JS_GetException(ctx)); }
static inline void put(Inspector* in, const char* text) {
  put_bytes(in->out, text, (uint32_t)strlen(text));
}
static inline bool are_same(Inspector* in, JSValueConst a, JSValueConst b) {
  return JS_IsStrictEqual(in->ctx, a, b);
}
static inline void descriptor_free(JSContext* ctx, JSPropertyDescriptor* descriptor) {
  JS_FreeValue(ctx, descriptor->value);
  JS_FreeValue(ctx, descriptor->getter);
  JS_FreeValue(ctx, descriptor->setter);
}
static inline bool is_full(const Inspector* in) { return in->out->size - in->start > MAX_BYTES; }

// inspect_text.c
void inspect_number(Inspector* in, uint32_t number);
void inspect_string(Inspector* in, JSValueConst string, uint32_t most);  // as it is
void inspect_taken(Inspector* in, JSValue text);  // the same; takes it, or an exception
void inspect_quoted(Inspector* in, JSValueConst string);
// A name or a message, with its line breaks escaped.
void inspect_line(Inspector* in, JSValueConst string, uint32_t most);
void inspect_hex(Buffer* out, uint32_t number, int digits, const char* alphabet);
void inspect_primitive(Inspector* in, JSValueConst value);
void inspect_more(Inspector* in, uint32_t count, const char* what);  // "... 1 more item"
void inspect_name(Inspector* in, JSAtom key, bool is_enumerable);    // of a property
bool inspect_is(Inspector* in, JSValueConst string, const char* text);

// inspect_classes.c

typedef struct {
  JSValue constructor;  // a string; null: the object has no prototype
  JSValue tag;          // Symbol.toStringTag: a string or undefined
} Class;

Class inspect_class_of(Inspector* in, JSValueConst object);
void inspect_class_free(Inspector* in, Class* class);
enum { NO_SIZE = UINT32_MAX };
// "Map(2) ", "[Object: null prototype] ", "Foo [bar] "
void inspect_prefix(Inspector* in, const Class* class, const char* fallback, uint32_t size);
void inspect_function(Inspector* in, JSValueConst function, const Class* class);
void inspect_error(Inspector* in, JSValueConst error, const Class* class);

// Members: `{ a, b }`. The first one opens the brace, so that an object without any is not left
// open.
typedef struct {
  const char* open;
  const char* close;
  bool has_any;
} Braces;

void inspect_begin_member(Inspector* in, Braces* braces);
void inspect_named(Inspector* in, Braces* braces, JSValueConst object, JSAtom key,
                   bool is_enumerable);
// What an own property holds.
void inspect_property(Inspector* in, JSValueConst object, JSAtom key);
void inspect_internal(Inspector* in, Braces* braces, const char* name, JSValueConst value);
// `cause` and `errors`, which are not enumerable.
void inspect_error_member(Inspector* in, Braces* braces, JSValueConst error, const char* name);
bool inspect_is_shown_of_error(Inspector* in, JSValueConst error, JSAtom key);

// The enumerable own properties: strings, then symbols.
typedef struct {
  JSPropertyEnum* list;
  uint32_t count;
} Keys;

// inspect_lists.c
uint32_t inspect_length(Inspector* in, JSValueConst array);
uint32_t inspect_size(JSValueConst collection);
// An array that may have holes: its elements are among its keys, in order.
void inspect_sparse(Inspector* in, Braces* braces, JSValueConst array, const Keys* keys,
                    uint32_t length);
void inspect_dense(Inspector* in, Braces* braces, JSValueConst array, uint32_t length);
void inspect_entries(Inspector* in, Braces* braces, JSValueConst collection, bool is_map);
void inspect_bytes(Inspector* in, Braces* braces, JSValueConst buffer);
void inspect_view(Inspector* in, Braces* braces, JSValueConst view);
void inspect_promise(Inspector* in, Braces* braces, JSValueConst promise);
