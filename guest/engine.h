// What the shim needs of QuickJS-ng that its public header does not offer. engine.c includes
// quickjs.c, so these few functions see its structures; nothing else does.
#pragma once

#include <stdbool.h>

#include "quickjs.h"

// A runtime whose memory is there, or the execution has ended: the allocator may refuse a size
// without asking for more memory, and a program must not be able to catch that either.
JSRuntime* engine_new_runtime(void);

// A snapshot's seeds are everybody's, and its clock began when it was made: each execution gets its
// own. Call it before any Map exists, since the seed is part of where a Map keeps its entries.
void engine_seed(JSContext* ctx, uint64_t random, uint32_t hash);
void engine_seed_random(JSContext* ctx, uint64_t random);
// performance.now() counts from here.
void engine_start_clock(JSContext* ctx);
void engine_move_clock(JSContext* ctx, double milliseconds);

// The characters of a string value where they lie: Latin-1 bytes or UTF-16 units. A rope is made
// flat first. False: no memory, an exception is pending. Give it back with engine_text_free.
typedef struct {
  const uint8_t* narrow;
  const uint16_t* wide;  // one of the two is null
  uint32_t length;
  JSValue owner;
} EngineText;
bool engine_text(JSContext* ctx, JSValueConst string, EngineText* text);
void engine_text_free(JSContext* ctx, EngineText* text);

// A pending promise that only engine_settle can settle: no resolving functions exist, and the
// value is taken as it is, so a `then` on Object.prototype is never asked.
JSValue engine_promise(JSContext* ctx);
void engine_settle(JSContext* ctx, JSValueConst promise, JSValueConst value, bool rejected);

// Whether somebody waits for the promise, so that a rejection of it would be heard; and to say so.
bool engine_is_handled(JSContext* ctx, JSValueConst promise);
void engine_mark_handled(JSContext* ctx, JSValueConst promise);

// Says when a promise has settled (at once, if it has or is none): then it is among those that are
// asked for by and by. `watcher` is any number but 0; a promise has one at most.
void engine_watch(JSContext* ctx, JSValueConst promise, uint32_t watcher);
uint32_t engine_settled_count(void);
uint32_t engine_next_settled(void);  // where there is one

// `{}` or `Object.create(null)` and the like: an ordinary object whose prototype is the original
// Object.prototype, or none. -1: an exception is pending (a Proxy's trap threw).
int engine_is_plain(JSContext* ctx, JSValueConst object);
JSClassID engine_object_class(void);  // of ordinary objects
// What `object` has or inherits, where getters are to see `receiver` as their `this`.
JSValue engine_get(JSContext* ctx, JSValueConst object, JSAtom name, JSValueConst receiver);

// The bytes of an ArrayBuffer or of a view of one, where they lie; false: it is neither, or it has
// been detached. They stay there until the guest's code runs.
bool engine_bytes(JSValueConst value, uint8_t** bytes, uint32_t* size);

// What a value is to structuredClone: not what its prototype says, but what it was made as.
enum EngineKind {
  KIND_PRIMITIVE,
  KIND_OBJECT,
  KIND_ARRAY,
  KIND_ERROR,
  KIND_NUMBER,
  KIND_STRING,
  KIND_BOOLEAN,
  KIND_BIGINT,
  KIND_DATE,
  KIND_REGEXP,
  KIND_BUFFER,
  KIND_SHARED_BUFFER,
  KIND_TYPED_ARRAY,
  KIND_DATA_VIEW,
  KIND_MAP,
  KIND_SET,
  KIND_EXCEPTION,  // a DOMException
  KIND_FUNCTION,
  KIND_SYMBOL,
  KIND_OTHER,
};
enum EngineKind engine_kind(JSValueConst value);
bool engine_is_error(JSValueConst value);  // an Error or a DOMException

// What such values hold, and values made of it: by the engine's own structures, so nothing that a
// program overrides is asked.
double engine_date(JSValueConst date);
// Its source as `source` gives it, and its flags. An exception: no memory.
typedef struct {
  JSValue source;
  char flags[10];
} EngineRegExp;
EngineRegExp engine_regexp(JSContext* ctx, JSValueConst regexp);
JSValue engine_new_regexp(JSContext* ctx, JSValueConst source, JSValueConst flags);
// The keys and values of a Map in turn, or the elements of a Set. Free each, then the list.
JSValue* engine_entries(JSValueConst collection, uint32_t* count);
JSValue engine_new_collection(JSContext* ctx, enum EngineKind kind);  // KIND_MAP or KIND_SET
void engine_add_entry(JSContext* ctx, JSValueConst collection, JSValueConst key,
                      JSValueConst value);
JSValue engine_new_bigint(JSContext* ctx, const char* decimal);
JSValue engine_new_data_view(JSContext* ctx, JSValueConst buffer);
// The text of a symbol that everybody can name: Symbol.for(text), or Symbol[text].
enum EngineSymbol { SYMBOL_IS_UNIQUE, SYMBOL_IS_GLOBAL, SYMBOL_IS_WELL_KNOWN };
enum EngineSymbol engine_symbol(JSContext* ctx, JSValueConst symbol, JSValue* text);
JSValue engine_well_known_symbol(JSContext* ctx, const char* name);  // undefined: there is none

// Whether the script that was compiled last is one function and nothing else. (By our patch of the
// parser, patches/program-value.diff, its value is then that function.)
bool engine_program_is_function(void);
// Whether that function is a declaration or an async arrow, the only ones that execbox calls.
bool engine_program_is_execbox_function(void);

// The next module that is compiled is a program, which has a value as a script has: by the same
// patch that is its default export, unless it has another.
void engine_next_module_is_program(void);

// With the whole message: JS_ThrowReferenceError cuts it short.
void engine_throw_reference_error(JSContext* ctx, const char* message);
// As the parser does, at a place of a text that it has not seen.
void engine_throw_syntax_error(JSContext* ctx, const char* message, const char* file, uint32_t line,
                               uint32_t column);

// A place in the program's own text: the innermost of its frames that runs now.
typedef struct {
  JSValue function;  // undefined: there is none
  uint32_t offset;
} EnginePlace;
EnginePlace engine_caller(JSContext* ctx);
// Makes it the stack of an error, in place of what it has; takes `place`.
void engine_place_error(JSContext* ctx, JSValueConst error, EnginePlace place);

// By patches/unknown-names.diff. Where `thrown`, which is no error, was thrown, as a line of a
// stack; undefined where that is not known.
JSValue engine_thrown_at(JSContext* ctx, JSValueConst thrown);
// Errors say which property an object lacks: from here on, and of one of them.
void engine_note_lacking(JSContext* ctx);
bool engine_lacking(JSContext* ctx, JSValueConst thrown, JSValue* object, JSValue* name);
// The names of an object's properties and of those it inherits, without asking the program's code;
// until `see` says false.
void engine_each_name(JSContext* ctx, JSValueConst object,
                      bool (*see)(void* opaque, const char* name, bool is_own), void* opaque);

// The snapshot's last step. Free blocks lie all over its memory, and an execution that uses one
// writes to a page that it would otherwise share with all others. So all of them are used up, and
// each size gets a few free blocks side by side: what a small program allocates is then on few
// pages, and the tables that it reads lie beside them.
void engine_pack(JSContext* ctx);
