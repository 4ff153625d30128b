// The functions of QuickJS-ng that the shim needs and its public header lacks. engine.c includes
// quickjs.c, so these few functions see its structures; nothing else does.
#pragma once

#include <stdbool.h>

#include "quickjs.h"

// A runtime whose allocations never fail: the execution ends instead. The allocator may refuse a
// size without asking for more memory, and a program must not be able to catch that either.
JSRuntime* engine_new_runtime(void);

// All executions share the seeds of the snapshot, and its clock began when it was made. So each
// execution gets its own. Call it before any Map exists, since a Map places its entries by the
// seed.
void engine_seed(JSContext* ctx, uint64_t random, uint32_t hash);
void engine_seed_random(JSContext* ctx, uint64_t random);
// performance.now() counts from here.
void engine_start_clock(JSContext* ctx);
void engine_move_clock(JSContext* ctx, double milliseconds);
// Frees what is kept for a deep recursion to go on. Nothing of a program runs now.
void engine_rest(void);

// The characters of a string value where they lie: Latin-1 bytes or UTF-16 units. A rope is made
// flat first. False if there is no memory; an exception is then pending. Free it with
// engine_text_free.
typedef struct {
  const uint8_t* narrow;
  const uint16_t* wide;  // one of the two is null
  uint32_t length;
  JSValue owner;
} EngineText;
bool engine_text(JSContext* ctx, JSValueConst string, EngineText* text);
void engine_text_free(JSContext* ctx, EngineText* text);

// A pending promise that only engine_settle can settle: no resolving functions exist, and the
// value is taken as it is, so a `then` on Object.prototype is never called.
JSValue engine_promise(JSContext* ctx);
void engine_settle(JSContext* ctx, JSValueConst promise, JSValueConst value, bool rejected);

// Whether the promise has a handler, so that a rejection of it would be noticed; and a function
// that says so.
bool engine_is_handled(JSContext* ctx, JSValueConst promise);
void engine_mark_handled(JSContext* ctx, JSValueConst promise);

// Watches a promise. Once it has settled (at once, if it has or is not a promise),
// engine_next_settled() returns its watcher. `watcher` is any number but 0; a promise has one at
// most.
void engine_watch(JSContext* ctx, JSValueConst promise, uint32_t watcher);
uint32_t engine_settled_count(void);
uint32_t engine_next_settled(void);  // only if there is one

// `{}` or `Object.create(null)` and the like: an ordinary object whose prototype is the original
// Object.prototype, or none. -1: an exception is pending (a Proxy's trap threw).
int engine_is_plain(JSContext* ctx, JSValueConst object);
JSClassID engine_object_class(void);  // the class of ordinary objects
// A property that `object` has or inherits. Getters see `receiver` as their `this`.
JSValue engine_get(JSContext* ctx, JSValueConst object, JSAtom name, JSValueConst receiver);

// The bytes of an ArrayBuffer or of a view of one, where they lie. False if it is neither, or has
// been detached. They stay there until code of the program runs.
bool engine_bytes(JSValueConst value, uint8_t** bytes, uint32_t* size);
// Whether they must not be written to, as those of an import.
bool engine_is_immutable(JSValueConst value);

// The kind of a value for structuredClone: what it was made as, whatever its prototype says.
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

// Read and make such values with the engine's own structures, so that nothing that a program
// overrides is called.
double engine_date(JSValueConst date);
// Its source as `source` gives it, and its flags. It is an exception if there is no memory.
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
// The text of a global or well-known symbol: Symbol.for(text), or Symbol[text].
enum EngineSymbol { SYMBOL_IS_UNIQUE, SYMBOL_IS_GLOBAL, SYMBOL_IS_WELL_KNOWN };
enum EngineSymbol engine_symbol(JSContext* ctx, JSValueConst symbol, JSValue* text);
JSValue engine_well_known_symbol(JSContext* ctx, const char* name);  // undefined if there is none

// engine/inspect.c: what console.c shows of a value. None of it runs code of a program. `object` is
// never a Proxy, except for engine_unproxied and engine_json_carries.

// Whether JSON.stringify loses nothing of the value, as far as that can be known without running
// code: an object with toJSON says itself what it is.
bool engine_json_carries(JSContext* ctx, JSValueConst value);
bool engine_lacks_stack(JSContext* ctx);             // for a few more calls
JSValueConst engine_unproxied(JSValueConst object);  // null: a revoked Proxy

enum EngineLook {
  LOOK_OBJECT,
  LOOK_ARRAY,
  LOOK_ARGUMENTS,
  LOOK_ERROR,
  LOOK_BOXED,
  LOOK_DATE,
  LOOK_REGEXP,
  LOOK_BUFFER,
  LOOK_DATA_VIEW,
  LOOK_TYPED_ARRAY,
  LOOK_MAP,
  LOOK_SET,
  LOOK_MAP_ITERATOR,
  LOOK_SET_ITERATOR,
  LOOK_WEAK,  // a WeakMap or WeakSet
  LOOK_PROMISE,
  LOOK_NAMESPACE,
  LOOK_FUNCTION,
};
enum EngineLook engine_look(JSValueConst object);
enum EngineFunction {
  FUNCTION_PLAIN,
  FUNCTION_CLASS,
  FUNCTION_GENERATOR,
  FUNCTION_ASYNC,
  FUNCTION_ASYNC_GENERATOR,
};
enum EngineFunction engine_function(JSValueConst function);
JSValue engine_super(JSValueConst function);  // its prototype, or null
// The value of a data property; uninitialized if it has none.
JSValue engine_data(JSContext* ctx, JSValueConst object, const char* name, bool inherited);
// The name of the class of which it is an instance; null if it has no prototype.
JSValue engine_constructor_name(JSContext* ctx, JSValueConst object);
JSValue engine_class_name(JSContext* ctx, JSValueConst object);  // of the engine's own class
JSValue engine_tag(JSContext* ctx, JSValueConst object);         // Symbol.toStringTag, or undefined
JSValue engine_boxed(JSValueConst box);                          // the primitive in `new Number(1)`
// Whether it has other properties than the elements of an array without holes.
bool engine_has_named(JSValueConst object);
uint32_t engine_typed_length(JSValueConst array);
JSValue engine_view_buffer(JSValueConst view, uint32_t* offset);  // of a DataView
bool engine_index(JSContext* ctx, JSAtom atom, uint32_t* index);  // whether it is one of an array
// The first `most` entries of a Map, a Set or an iterator of one: keys and values in turn if they
// are pairs. Returns how many values were written, and sets how many entries there are.
uint32_t engine_some_entries(JSValueConst collection, JSValue* entries, uint32_t most,
                             uint32_t* count, bool* in_pairs);
// The lines of its stack below the name and the message: a string, or undefined. Of a stack that
// the program has not written itself, they are those that the engine knows, whatever the message
// is.
JSValue engine_error_frames(JSContext* ctx, JSValueConst error);
// Those with which it was made, whatever its stack says now.
JSValue engine_made_at(JSContext* ctx, JSValueConst error);
JSValue engine_error_text(JSContext* ctx, JSValueConst error, bool is_name);  // or its message
JSValue engine_date_text(JSContext* ctx, JSValueConst date);
// Whether the program itself wrote the object's toString.
bool engine_says_text(JSContext* ctx, JSValueConst object);
JSValue engine_parsed_number(JSContext* ctx, JSValueConst text, bool is_whole);
double engine_now(JSContext* ctx);  // as performance.now()

// Whether the script that was compiled last is one function and nothing else. (By our patch of the
// parser, patches/program-value.diff, its value is then that function.)
bool engine_program_is_function(void);
// Whether that function is a declaration or an async arrow function, the only ones that execbox
// calls.
bool engine_program_is_execbox_function(void);

// How the program that was compiled last ends, if it ends in no expression, and the name of what it
// ends in; undefined if it has none. By patches/program-without-value.diff.
enum EngineEnding {
  ENDS_IN_VALUE,
  ENDS_IN_VARIABLE,
  ENDS_IN_FUNCTION,  // and nobody calls it
  ENDS_IN_EXPORT,
  ENDS_IN_BLOCK,  // in which a statement only names a value
};
enum EngineEnding engine_program_ending(JSContext* ctx, JSValue* name);

// The next module that is compiled is a program, which has a value like a script. By the same patch
// this value is its default export, unless it has another.
void engine_next_module_is_program(void);

// The text that is compiled next was made from another, and its code tells places in that one.
// `runs` is read until it has been parsed (abi.h, WrittenRun). By patches/written-places.diff.
void engine_set_runs(const uint8_t* runs, uint32_t size, int first_line);

// Throws with the whole message, which JS_ThrowReferenceError would cut.
void engine_throw_reference_error(JSContext* ctx, const char* message);
// Throws as the parser does, at a place of a text that the parser has not seen.
void engine_throw_syntax_error(JSContext* ctx, const char* message, const char* file, uint32_t line,
                               uint32_t column);

// A place in the program's own text: its innermost running frame.
typedef struct {
  JSValue function;  // undefined if there is none
  uint32_t offset;
} EnginePlace;
EnginePlace engine_caller(JSContext* ctx);
// The place as a line of a stack, without the function's name. Empty if there is none.
JSValue engine_place_text(JSContext* ctx, EnginePlace place);
// Where the innermost of the async functions waits that must go on before `promise` is settled.
EnginePlace engine_awaiting(JSContext* ctx, JSValueConst promise);
// Whether anything would follow if `promise` were settled.
bool engine_is_wanted(JSContext* ctx, JSValueConst promise);
// Whether the program would miss something if a timer did not call `function`.
bool engine_is_missed(JSContext* ctx, JSValueConst function);
// Replaces the frames of an error with this place. Below it stand the functions that wait for
// `promise`, unless that is undefined. Takes `place`.
void engine_place_error(JSContext* ctx, JSValueConst error, EnginePlace place,
                        JSValueConst promise);

// By patches/unknown-names.diff: where `thrown`, which is not an error, was thrown, as a line of a
// stack; undefined if that is not known.
JSValue engine_thrown_at(JSContext* ctx, JSValueConst thrown);
// Makes errors record which property an object lacks, from now on; and reads that from an error.
void engine_note_lacking(JSContext* ctx);
bool engine_lacking(JSContext* ctx, JSValueConst thrown, JSValue* object, JSValue* name);
// Adds a function to an object that it makes when it is first touched. The entry stays. False if
// the object has a property of this name.
bool engine_define_lazily(JSContext* ctx, JSValueConst object, JSAtom name,
                          const JSCFunctionListEntry* entry);
// engine/asked_names.c: an ordinary object that does not have its properties yet. `names` says what
// they are, and nothing shows that they are not there. All of them are made once a program needs
// more than single ones: their list, their order or a change of them.
typedef struct EngineAskedNames EngineAskedNames;
struct EngineAskedNames {
  // Whether there is a property of this name. If `value` is not null it gets the value, which the
  // caller owns, or JS_UNINITIALIZED if all properties have to be made first.
  bool (*find)(JSContext* ctx, EngineAskedNames* names, JSAtom name, JSValue* value);
  // Defines all properties of `object`, and frees `names`.
  void (*define_all)(JSContext* ctx, EngineAskedNames* names, JSValueConst object);
};
void engine_asked_names_init(JSContext* ctx);
JSValue engine_new_asked(JSContext* ctx, EngineAskedNames* names);
// Calls `see` with the names of an object's own and inherited properties, without running the
// program's code, until it returns false.
void engine_each_name(JSContext* ctx, JSValueConst object,
                      bool (*see)(void* opaque, const char* name, bool is_own), void* opaque);

// The snapshot's last step. Free blocks lie all over its memory, and an execution that uses one
// writes to a page that it would otherwise share with all others. So all of them are used up, and
// each size gets a few free blocks side by side: what a small program allocates is then on few
// pages, and the tables that it reads lie beside them.
void engine_pack(JSContext* ctx);
