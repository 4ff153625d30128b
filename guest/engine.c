#include "engine.h"

#include "host.h"

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Weverything"
#include "quickjs.c"
#pragma clang diagnostic pop

extern bool guest_is_live;  // declared in guest.h too, which cannot be included here: it shares
                            // names with quickjs.c

// QuickJS turns a failed allocation into an exception that a program can catch. A program that
// lives on after that is a hole in the memory limit, and code that handles such exceptions is
// rarely tested. So no allocation fails here: the host ends the execution instead, and does not
// return.
static void* given(void* memory) {
  if (memory) return memory;
  if (guest_is_live) host_grow(UINT32_MAX);  // refused, so it does not return
  __builtin_trap();
}

static void* runtime_calloc(void* opaque, size_t count, size_t size) {
  (void)opaque;
  return given(calloc(count, size));
}
static void* runtime_malloc(void* opaque, size_t size) {
  (void)opaque;
  return given(malloc(size));
}
static void runtime_free(void* opaque, void* memory) {
  (void)opaque;
  free(memory);
}
static void* runtime_realloc(void* opaque, void* memory, size_t size) {
  (void)opaque;
  return given(realloc(memory, size));
}

JSRuntime* engine_new_runtime(void) {
  static const JSMallocFunctions functions = {
      runtime_calloc, runtime_malloc, runtime_free, runtime_realloc, js__malloc_usable_size,
  };
  return JS_NewRuntime2(&functions, NULL);
}

void engine_start_clock(JSContext* ctx) {
  ctx->time_origin = js__now_ms();
  JSValue performance = JS_GetPropertyStr(ctx, ctx->global_obj, "performance");
  JSAtom key = JS_NewAtom(ctx, "timeOrigin");
  JSProperty* property;
  // It is not writable, so it is put in its place.
  if (find_own_property(&property, JS_VALUE_GET_OBJ(performance), key))
    property->u.value = js_float64((double)host_clock(CLOCK_OF_DAY) / 1e6);
  JS_FreeAtom(ctx, key);
  JS_FreeValue(ctx, performance);
}

void engine_seed(JSContext* ctx, uint64_t random, uint32_t hash) {
  engine_seed_random(ctx, random);
  ctx->hash_seed = hash;
  engine_start_clock(ctx);
}

void engine_seed_random(JSContext* ctx, uint64_t random) {
  ctx->random_state = random ? random : 1;  // xorshift never leaves zero
}

void engine_move_clock(JSContext* ctx, double milliseconds) { ctx->time_origin += milliseconds; }

bool engine_text(JSContext* ctx, JSValueConst string, EngineText* text) {
  text->owner = JS_ToString(ctx, string);  // of a string: itself, flat
  if (JS_IsException(text->owner)) return false;
  JSString* p = JS_VALUE_GET_STRING(text->owner);
  text->length = p->len;
  text->narrow = p->is_wide_char ? NULL : str8(p);
  text->wide = p->is_wide_char ? str16(p) : NULL;
  return true;
}

void engine_text_free(JSContext* ctx, EngineText* text) { JS_FreeValue(ctx, text->owner); }

JSValue engine_promise(JSContext* ctx) {
  JSValue resolvers[2];
  JSValue promise = js_new_promise_capability(ctx, resolvers, JS_UNDEFINED);
  if (JS_IsException(promise)) return promise;
  JS_FreeValue(ctx, resolvers[0]);
  JS_FreeValue(ctx, resolvers[1]);
  return promise;
}

void engine_settle(JSContext* ctx, JSValueConst promise, JSValueConst value, bool rejected) {
  fulfill_or_reject_promise(ctx, promise, value, rejected);
}

bool engine_is_handled(JSContext* ctx, JSValueConst promise) {
  (void)ctx;
  JSPromiseData* data = JS_GetOpaque(promise, JS_CLASS_PROMISE);
  return !data || data->is_handled;
}

void engine_mark_handled(JSContext* ctx, JSValueConst promise) {
  (void)ctx;
  JSPromiseData* data = JS_GetOpaque(promise, JS_CLASS_PROMISE);
  if (data) data->is_handled = true;
}

// Watched promises that have settled and were not asked for yet. They lie from `first` on, in the
// order in which they settled. Our patch of QuickJS calls cordon_note_settled() when it settles a
// promise that has a watcher.
static struct {
  uint32_t* watchers;
  uint32_t first, count, capacity;
} settled;

static void cordon_note_settled(uint32_t watcher) {
  if (settled.count == settled.capacity) {
    settled.capacity = settled.capacity ? settled.capacity * 2 : 4;
    settled.watchers = given(realloc(settled.watchers, settled.capacity * sizeof(uint32_t)));
  }
  settled.watchers[settled.count++] = watcher;
}

void engine_watch(JSContext* ctx, JSValueConst promise, uint32_t watcher) {
  (void)ctx;
  JSPromiseData* data = JS_GetOpaque(promise, JS_CLASS_PROMISE);
  if (data && data->promise_state == JS_PROMISE_PENDING)
    data->watcher = watcher;
  else
    cordon_note_settled(watcher);
}

uint32_t engine_settled_count(void) { return settled.count - settled.first; }

uint32_t engine_next_settled(void) {
  uint32_t watcher = settled.watchers[settled.first++];
  if (settled.first == settled.count) settled.first = settled.count = 0;
  return watcher;
}

int engine_is_plain(JSContext* ctx, JSValueConst object) {
  JSObject* p = JS_VALUE_GET_OBJ(object);
  if (p->class_id != JS_CLASS_OBJECT && p->class_id != JS_CLASS_PROXY) return 0;
  JSValue prototype = JS_GetPrototype(ctx, object);
  if (JS_IsException(prototype)) return -1;
  int plain = JS_IsNull(prototype) ||
              (JS_IsObject(prototype) &&
               JS_VALUE_GET_OBJ(prototype) == JS_VALUE_GET_OBJ(ctx->class_proto[JS_CLASS_OBJECT]));
  JS_FreeValue(ctx, prototype);
  return plain;
}

bool engine_bytes(JSValueConst value, uint8_t** bytes, uint32_t* size) {
  if (JS_VALUE_GET_TAG(value) != JS_TAG_OBJECT) return false;
  JSObject* p = JS_VALUE_GET_OBJ(value);
  if (p->class_id == JS_CLASS_ARRAY_BUFFER || p->class_id == JS_CLASS_SHARED_ARRAY_BUFFER) {
    JSArrayBuffer* buffer = p->u.array_buffer;
    *bytes = buffer->data;
    *size = (uint32_t)buffer->byte_length;
    return !buffer->detached;
  }
  bool is_view = p->class_id == JS_CLASS_DATAVIEW;
  if (!is_view && !is_typed_array(p->class_id)) return false;
  if (is_view ? dataview_is_oob(p) : typed_array_is_oob(p)) return false;
  JSTypedArray* view = p->u.typed_array;
  JSArrayBuffer* buffer = view->buffer->u.array_buffer;
  *bytes = buffer->data + view->offset;
  if (!is_view)
    *size = p->u.array.count << typed_array_size_log2(p->class_id);
  else
    *size = view->track_rab ? (uint32_t)buffer->byte_length - view->offset : view->length;
  return true;
}

enum EngineKind engine_kind(JSValueConst value) {
  if (JS_IsSymbol(value)) return KIND_SYMBOL;
  if (!JS_IsObject(value)) return KIND_PRIMITIVE;
  JSClassID class = JS_VALUE_GET_OBJ(value)->class_id;
  if (is_typed_array(class)) return KIND_TYPED_ARRAY;
  switch (class) {
    case JS_CLASS_OBJECT:
      return KIND_OBJECT;
    case JS_CLASS_ARRAY:
      return KIND_ARRAY;
    case JS_CLASS_ERROR:
      return KIND_ERROR;
    case JS_CLASS_NUMBER:
      return KIND_NUMBER;
    case JS_CLASS_STRING:
      return KIND_STRING;
    case JS_CLASS_BOOLEAN:
      return KIND_BOOLEAN;
    case JS_CLASS_BIG_INT:
      return KIND_BIGINT;
    case JS_CLASS_DATE:
      return KIND_DATE;
    case JS_CLASS_REGEXP:
      return KIND_REGEXP;
    case JS_CLASS_ARRAY_BUFFER:
      return KIND_BUFFER;
    case JS_CLASS_SHARED_ARRAY_BUFFER:
      return KIND_SHARED_BUFFER;
    case JS_CLASS_DATAVIEW:
      return KIND_DATA_VIEW;
    case JS_CLASS_MAP:
      return KIND_MAP;
    case JS_CLASS_SET:
      return KIND_SET;
    case JS_CLASS_DOM_EXCEPTION:
      return KIND_EXCEPTION;
    default:
      return JS_VALUE_GET_OBJ(value)->is_HTMLDDA || class == JS_CLASS_C_FUNCTION ||
                     js_class_has_bytecode(class) || class == JS_CLASS_BOUND_FUNCTION ||
                     class == JS_CLASS_C_FUNCTION_DATA || class == JS_CLASS_C_CLOSURE
                 ? KIND_FUNCTION
                 : KIND_OTHER;
  }
}

bool engine_is_error(JSValueConst value) {
  enum EngineKind kind = engine_kind(value);
  return kind == KIND_ERROR || kind == KIND_EXCEPTION;
}

double engine_date(JSValueConst date) {
  JSValue value = JS_VALUE_GET_OBJ(date)->u.object_data;
  return JS_VALUE_GET_TAG(value) == JS_TAG_INT ? JS_VALUE_GET_INT(value)
                                               : JS_VALUE_GET_FLOAT64(value);
}

EngineRegExp engine_regexp(JSContext* ctx, JSValueConst regexp) {
  static const struct {
    int flag;
    char letter;
  } letters[] = {
      {LRE_FLAG_INDICES, 'd'},      {LRE_FLAG_GLOBAL, 'g'}, {LRE_FLAG_IGNORECASE, 'i'},
      {LRE_FLAG_MULTILINE, 'm'},    {LRE_FLAG_DOTALL, 's'}, {LRE_FLAG_UNICODE, 'u'},
      {LRE_FLAG_UNICODE_SETS, 'v'}, {LRE_FLAG_STICKY, 'y'},
  };
  EngineRegExp parts = {.source = js_regexp_get_source(ctx, regexp)};
  int flags = lre_get_flags(str8(JS_VALUE_GET_OBJ(regexp)->u.regexp.bytecode));
  int count = 0;
  for (size_t i = 0; i < countof(letters); ++i)
    if (flags & letters[i].flag) parts.flags[count++] = letters[i].letter;
  return parts;
}

JSValue engine_new_regexp(JSContext* ctx, JSValueConst source, JSValueConst flags) {
  JSValue code = js_compile_regexp(ctx, source, flags);
  if (JS_IsException(code)) return code;
  return js_regexp_constructor_internal(ctx, JS_UNDEFINED, JS_ToString(ctx, source), code);
}

JSValue* engine_entries(JSValueConst collection, uint32_t* count) {
  JSObject* p = JS_VALUE_GET_OBJ(collection);
  bool is_map = p->class_id == JS_CLASS_MAP;
  JSMapState* state = p->u.map_state;
  JSValue* entries = given(malloc((state->record_count * 2 + 1) * sizeof(JSValue)));
  *count = 0;
  struct list_head* link;
  list_for_each(link, &state->records) {
    JSMapRecord* record = list_entry(link, JSMapRecord, link);
    if (record->empty) continue;
    entries[(*count)++] = js_dup(record->key);
    if (is_map) entries[(*count)++] = js_dup(record->value);
  }
  return entries;
}

JSValue engine_new_collection(JSContext* ctx, enum EngineKind kind) {
  return js_map_constructor(ctx, JS_UNDEFINED, 0, NULL, kind == KIND_SET ? MAGIC_SET : 0);
}

void engine_add_entry(JSContext* ctx, JSValueConst collection, JSValueConst key,
                      JSValueConst value) {
  JSValueConst arguments[2] = {key, value};
  bool is_set = JS_VALUE_GET_OBJ(collection)->class_id == JS_CLASS_SET;
  JS_FreeValue(ctx, js_map_set(ctx, collection, 2, arguments, is_set ? MAGIC_SET : 0));
}

JSValue engine_new_bigint(JSContext* ctx, const char* decimal) {
  JSBigInt* number = js_bigint_from_string(ctx, decimal, 10);
  return number ? JS_CompactBigInt(ctx, number) : JS_ThrowRangeError(ctx, "BigInt is too large");
}

JSValue engine_new_data_view(JSContext* ctx, JSValueConst buffer) {
  JSValueConst arguments[3] = {buffer, JS_UNDEFINED, JS_UNDEFINED};
  return js_dataview_constructor(ctx, JS_UNDEFINED, 1, arguments);
}

enum { WELL_KNOWN_PREFIX = sizeof "Symbol." - 1 };

enum EngineSymbol engine_symbol(JSContext* ctx, JSValueConst symbol, JSValue* text) {
  JSAtomStruct* p = JS_VALUE_GET_PTR(symbol);
  JSAtom atom = js_get_atom_index(ctx->rt, p);
  bool is_well_known = atom >= JS_ATOM_Symbol_toPrimitive && atom <= JS_ATOM_Symbol_asyncDispose;
  if (!is_well_known && p->atom_type != JS_ATOM_TYPE_GLOBAL_SYMBOL) return SYMBOL_IS_UNIQUE;
  *text = JS_AtomToString(ctx, atom);
  if (!is_well_known) return SYMBOL_IS_GLOBAL;
  JSString* whole = JS_VALUE_GET_STRING(*text);
  JSValue name = js_sub_string(ctx, whole, WELL_KNOWN_PREFIX, (int)whole->len);
  JS_FreeValue(ctx, *text);
  *text = name;
  return SYMBOL_IS_WELL_KNOWN;
}

JSValue engine_well_known_symbol(JSContext* ctx, const char* name) {
  for (JSAtom atom = JS_ATOM_Symbol_toPrimitive; atom <= JS_ATOM_Symbol_asyncDispose; ++atom) {
    const char* text = JS_AtomToCString(ctx, atom);
    bool found = text && strcmp(text + WELL_KNOWN_PREFIX, name) == 0;
    JS_FreeCString(ctx, text);
    if (found) return JS_AtomToValue(ctx, atom);
  }
  return JS_UNDEFINED;
}

bool engine_program_is_function(void) { return cordon_program.is_function; }
bool engine_program_is_execbox_function(void) { return cordon_program.is_execbox_function; }

void engine_next_module_is_program(void) { cordon_next_module_is_program = true; }

void engine_throw_reference_error(JSContext* ctx, const char* message) {
  JS_Throw(ctx, JS_MakeError2(ctx, JS_REFERENCE_ERROR, true, message));
}

void engine_throw_syntax_error(JSContext* ctx, const char* message, const char* file, uint32_t line,
                               uint32_t column) {
  JSValue error = JS_MakeError2(ctx, JS_SYNTAX_ERROR, false, message);
  build_backtrace(ctx, error, JS_UNDEFINED, file, (int)line, (int)column,
                  JS_BACKTRACE_FLAG_SINGLE_LEVEL);
  JS_Throw(ctx, error);
}

EnginePlace engine_caller(JSContext* ctx) {
  for (JSStackFrame* frame = ctx->rt->current_stack_frame; frame; frame = frame->prev_frame) {
    JSObject* p = JS_VALUE_GET_OBJ(frame->cur_func);
    if (!js_class_has_bytecode(p->class_id) || !frame->cur_pc) continue;
    JSFunctionBytecode* code = p->u.func.function_bytecode;
    if (code->filename == JS_ATOM_NULL) continue;  // ours
    return (EnginePlace){js_dup(frame->cur_func),
                         (uint32_t)(frame->cur_pc - code->byte_code_buf - 1)};
  }
  return (EnginePlace){JS_UNDEFINED, 0};
}

static JSValue place_line(JSContext* ctx, const char* function, JSAtom file, int line, int column) {
  const char* name = JS_AtomToCString(ctx, file);
  DynBuf text;
  js_dbuf_init(ctx, &text);
  if (function && *function)
    dbuf_printf(&text, "    at %s (%s:%d:%d)\n", function, name ? name : "", line, column);
  else
    dbuf_printf(&text, "    at %s:%d:%d\n", name ? name : "", line, column);
  JS_FreeCString(ctx, name);
  JSValue result = JS_NewStringLen(ctx, (char*)text.buf, text.size);
  dbuf_free(&text);
  return result;
}

void engine_place_error(JSContext* ctx, JSValueConst error, EnginePlace place) {
  if (!JS_IsObject(place.function) || engine_kind(error) != KIND_ERROR) return;
  JSFunctionBytecode* code = JS_VALUE_GET_OBJ(place.function)->u.func.function_bytecode;
  int column;
  int line = find_line_num(ctx, code, place.offset, &column);
  const char* function = get_func_name(ctx, place.function);
  JSObject* p = JS_VALUE_GET_OBJ(error);
  JS_FreeValue(ctx, p->u.object_data);
  p->u.object_data = place_line(ctx, function, code->filename, line, column);
  JS_FreeCString(ctx, function);
  JS_FreeValue(ctx, place.function);
}

JSValue engine_thrown_at(JSContext* ctx, JSValueConst thrown) {
  if (cordon_thrown.file == JS_ATOM_NULL || !js_same_value(ctx, thrown, cordon_thrown.value))
    return JS_UNDEFINED;
  return place_line(ctx, NULL, cordon_thrown.file, cordon_thrown.line_num, cordon_thrown.col_num);
}

void engine_note_lacking(JSContext* ctx) {
  JSValue symbol = JS_NewPrivateSymbol(ctx, "lacking");
  cordon_lacking = JS_ValueToAtom(ctx, symbol);
  JS_FreeValue(ctx, symbol);
}

bool engine_lacking(JSContext* ctx, JSValueConst thrown, JSValue* object, JSValue* name) {
  JSProperty* property;
  if (!JS_IsObject(thrown) || JS_IsProxy(thrown) ||
      !find_own_property(&property, JS_VALUE_GET_OBJ(thrown), cordon_lacking))
    return false;
  *object = JS_GetPropertyUint32(ctx, property->u.value, 0);
  *name = JS_GetPropertyUint32(ctx, property->u.value, 1);
  return true;
}

static bool each_own_name(JSContext* ctx, JSObject* p, bool is_own,
                          bool (*see)(void* opaque, const char* name, bool is_own), void* opaque) {
  for (int i = 0; i < p->shape->prop_count; ++i) {
    JSAtom atom = get_shape_prop(p->shape)[i].atom;
    if (atom == JS_ATOM_NULL || __JS_AtomIsTaggedInt(atom) ||
        JS_AtomGetKind(ctx, atom) != JS_ATOM_KIND_STRING)
      continue;
    const char* name = JS_AtomToCString(ctx, atom);
    bool goes_on = !name || see(opaque, name, is_own);
    JS_FreeCString(ctx, name);
    if (!goes_on) return false;
  }
  return true;
}

void engine_each_name(JSContext* ctx, JSValueConst object,
                      bool (*see)(void* opaque, const char* name, bool is_own), void* opaque) {
  enum { MOST_PROTOTYPES = 100 };
  if (JS_IsString(object)) object = ctx->class_proto[JS_CLASS_STRING];
  if (JS_IsNumber(object)) object = ctx->class_proto[JS_CLASS_NUMBER];
  if (!JS_IsObject(object)) return;
  JSObject* p = JS_VALUE_GET_OBJ(object);
  if (p == JS_VALUE_GET_OBJ(ctx->global_obj) &&
      !each_own_name(ctx, JS_VALUE_GET_OBJ(ctx->global_var_obj), true, see, opaque))
    return;
  for (int i = 0; p && i < MOST_PROTOTYPES && p->class_id != JS_CLASS_PROXY; ++i) {
    if (!each_own_name(ctx, p, i == 0, see, opaque)) return;
    p = p->shape->proto;
  }
}

JSClassID engine_object_class(void) { return JS_CLASS_OBJECT; }

JSValue engine_get(JSContext* ctx, JSValueConst object, JSAtom name, JSValueConst receiver) {
  return JS_GetPropertyInternal(ctx, object, name, receiver, false);
}

// Adds a small arena of free blocks. It claims one block more than it has, which counts as used, so
// that the arena is never given back.
static void add_nursery(JSRuntime* rt, int size_index, int blocks) {
  int block_size = arena_block_sizes[size_index];
  JSArena* arena = rt->mf.js_malloc(rt->malloc_state.opaque,
                                    sizeof(JSArena) + (size_t)blocks * (size_t)block_size);
  arena->block_size_idx = size_index;
  arena->n_blocks = blocks + 1;
  arena->n_used_blocks = 1;
  arena->first_free_block = 0;
  for (int i = 0; i < blocks; ++i) {
    JSMallocBlockHeader* block = arena_get_block(arena, i, block_size);
    block->u.free_next = i + 1 < blocks ? i + 1 : JS_ARENA_FREE_NIL;
    block->block_size_idx = size_index;
  }
  list_add(&arena->link, &rt->arena_state.arena_list[size_index]);
  list_add(&arena->free_link, &rt->arena_state.free_arena_list[size_index]);
}

// What is allocated here is never freed.
static void use_up_arenas(JSRuntime* rt) {
  for (int i = 0; i < JS_ARENA_BLOCK_SIZE_COUNT; ++i)
    while (!list_empty(&rt->arena_state.free_arena_list[i]))
      js_arena_malloc(rt, (size_t)arena_block_sizes[i] - sizeof(JSMallocBlockHeader));
}

static void use_up_heap_holes(void) {
  uint8_t* end = malloc(65536);
  for (size_t size = 32768; size >= 8; size = size > 1024 ? size / 2 : size - 8) {
    uint8_t* block;
    while ((block = malloc(size)) < end) memset(block, 0, size);  // zeros take no room in a file
    free(block);
  }
  free(end);
}

static void* moved(JSRuntime* rt, void* block, size_t size) {
  void* copy = js_malloc_rt(rt, size);
  memcpy(copy, block, size);
  js_free_rt(rt, block);
  return copy;
}

static JSShape* moved_shape(JSRuntime* rt, JSShape* old) {
  size_t hash_size = old->prop_hash_mask + 1;
  if (old->is_hashed) js_shape_hash_unlink(rt, old);
  list_del(&old->header.link);
  void* block = js_malloc_rt(rt, get_shape_size(hash_size, old->prop_size));
  memcpy(block, get_alloc_from_shape(old), get_shape_size(hash_size, old->prop_size));
  JSShape* shape = get_shape_from_alloc(block, hash_size);
  JS_REF_COUNT(shape) = JS_REF_COUNT(old);
  JS_GC_TYPE(shape) = JS_GC_TYPE(old);
  JS_GC_MARK(shape) = JS_GC_MARK(old);
  list_add_tail(&shape->header.link, &rt->gc_obj_list);
  if (shape->is_hashed) js_shape_hash_link(rt, shape);
  js_free_rt(rt, get_alloc_from_shape(old));
  return shape;
}

// A name or a shape that was made later comes first in its chain. Programs mostly use those of the
// language itself, which were made earlier. So these go to the front, and the chains become short:
// a lookup then reads no page of the rest.
static void sort_chains(JSRuntime* rt) {
  JS_ResizeAtomHash(rt, rt->atom_hash_size * 4);
  for (int i = 0; i < rt->atom_hash_size; ++i) {
    uint32_t sorted = 0;
    for (uint32_t next, atom = rt->atom_hash[i]; atom != 0; atom = next) {
      next = rt->atom_array[atom]->hash_next;
      uint32_t* place = &sorted;
      while (*place != 0 && *place < atom) place = &rt->atom_array[*place]->hash_next;
      rt->atom_array[atom]->hash_next = *place;
      *place = atom;
    }
    rt->atom_hash[i] = sorted;
  }
  for (int i = 0; i < rt->shape_hash_size; ++i) {
    JSShape* sorted = NULL;
    for (JSShape *next, *shape = rt->shape_hash[i]; shape; shape = next) {
      next = shape->shape_hash_next;
      JSShape** place = &sorted;
      while (*place && *place < shape) place = &(*place)->shape_hash_next;
      shape->shape_hash_next = *place;
      *place = shape;
    }
    rt->shape_hash[i] = sorted;
  }
}

// Every program looks into these tables. They grew while the globals were made, and so lie among
// memory that most programs never touch.
static void move_tables(JSContext* ctx) {
  JSRuntime* rt = ctx->rt;
  rt->atom_hash = moved(rt, rt->atom_hash, sizeof *rt->atom_hash * (size_t)rt->atom_hash_size);
  rt->atom_array = moved(rt, rt->atom_array, sizeof *rt->atom_array * (size_t)rt->atom_size);
  rt->shape_hash = moved(rt, rt->shape_hash, sizeof *rt->shape_hash * (size_t)rt->shape_hash_size);
  JSObject* global = JS_VALUE_GET_OBJ(ctx->global_obj);
  global->prop = moved(rt, global->prop, sizeof *global->prop * global->shape->prop_size);
  global->shape = moved_shape(rt, global->shape);
}

// The kernel maps pages in groups of sixteen, and each mapped page costs time when a slot is reset.
// So the next allocations begin at the start of a group.
static void align_heap(void) {
  enum { GROUP = 65536, STEP = 2048 };
  uintptr_t first = (uintptr_t)malloc(STEP);
  uint8_t* block;
  do {
    block = malloc(STEP);
  } while ((uintptr_t)block / GROUP == first / GROUP);
  free(block);
}

// The order matters. First all free blocks are used up, in the engine's arenas and in the heap, so
// that what follows comes from fresh pages and lies together. The tables then move there, sorted.
// The moves leave holes behind, which are used up again. At last each size gets its few free
// blocks.
void engine_pack(JSContext* ctx) {
  JSRuntime* rt = ctx->rt;
  use_up_arenas(rt);
  use_up_heap_holes();
  align_heap();
  sort_chains(rt);
  move_tables(ctx);
  use_up_heap_holes();
  for (int i = 0; i < JS_ARENA_BLOCK_SIZE_COUNT; ++i) {
    int size = arena_block_sizes[i];
    // Roughly what a small program takes of each size before it first asks for a new arena.
    add_nursery(rt, i, size == 24 ? 48 : size <= 64 ? 10 : size <= 128 ? 5 : size <= 256 ? 2 : 1);
  }
}
