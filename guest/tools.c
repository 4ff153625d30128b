// The host's tools as the program sees them: `provider.tool(input)` returns a promise, and the
// call leaves as a message. A failed call rejects with an Error that carries, under a private
// symbol that no program can see or copy, which call it was; the host keeps what the failure was.

#include "host.h"
#include "loose_ends.h"

// A call that is pending has a slot, and its number is made of the slot's index and a sequence
// number that grows with every call. The host may answer a call twice or late. Such an answer finds
// another sequence number in the slot, or none, and is dropped, although the slot may be in use
// again.
//
// Writing the input runs getters of the program, which may call tools themselves. So the slot is
// taken after the input is written, and `slots` may have moved by then.
typedef struct {
  uint32_t sequence;   // the call that has this slot; 0 if it is free
  uint32_t next_free;  // UINT32_MAX is the end of the list
  JSValue promise;
  MadeCall made;  // its place is for the stack of a failure
} Slot;

static Slot* slots;
static uint32_t slot_count;
static uint32_t first_free = UINT32_MAX;
static uint32_t pending;
static uint32_t last_sequence;
// The tools that take rich values, as ranges of their numbers. A getter of an input may call
// another tool, so what a call may carry goes by its number and not by a state.
typedef struct {
  uint32_t first;
  uint32_t end;
} Range;
static Range* rich_tools;
static uint32_t rich_ranges;
// Private symbols, which no program can see or copy.
static JSAtom failed_call;
static JSAtom refusal;

static JSAtom new_private_atom(JSContext* ctx, const char* name) {
  JSValue symbol = JS_NewPrivateSymbol(ctx, name);
  JSAtom atom = JS_ValueToAtom(ctx, symbol);
  JS_FreeValue(ctx, symbol);
  return atom;
}

void tools_init(JSContext* ctx) {
  failed_call = new_private_atom(ctx, "call");
  refusal = new_private_atom(ctx, "refusal");
  open_names_init(ctx);
  engine_asked_names_init(ctx);
}

static uint32_t take_slot(JSValue promise, MadeCall made) {
  if (first_free == UINT32_MAX) {
    uint32_t count = slot_count ? slot_count * 2 : 8;
    slots = realloc(slots, count * sizeof(Slot));
    if (!slots) __builtin_trap();
    for (uint32_t i = slot_count; i < count; ++i) {
      slots[i].sequence = 0;
      slots[i].next_free = i + 1 < count ? i + 1 : UINT32_MAX;
    }
    first_free = slot_count;
    slot_count = count;
  }
  uint32_t index = first_free;
  first_free = slots[index].next_free;
  if (++last_sequence == 0) ++last_sequence;
  slots[index].sequence = last_sequence;
  slots[index].promise = promise;
  slots[index].made = made;
  ++pending;
  return index;
}

static JSValue new_failure(JSContext* ctx, uint64_t call, JSValue code, JSValue message) {
  JSValue error = JS_NewError(ctx);
  const int hidden = JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE;
  JS_DefinePropertyValueStr(ctx, error, "message", message, hidden);
  JS_DefinePropertyValueStr(ctx, error, "code", code, JS_PROP_C_W_E);
  JS_DefinePropertyValue(ctx, error, failed_call, JS_NewFloat64(ctx, (double)call), 0);
  return error;
}

// Sequence numbers stay below 2^32 and slots below 2^20, so a call fits a double exactly.
static uint64_t call_number(uint32_t index) {
  return (uint64_t)slots[index].sequence << 20 | index;
}

// A call that is not made is a rejected promise, never a throw. Takes `error`.
static JSValue rejected(JSContext* ctx, JSValue error) {
  JSValue promise = engine_promise(ctx);
  engine_settle(ctx, promise, error, true);
  JS_FreeValue(ctx, error);
  return promise;
}

// The host shows what was refused and where, if the program does not catch the error.
static JSValue new_refusal(JSContext* ctx, Refused* refused) {
  JSValue error = new_failure(ctx, CALL_REFUSED, JS_NewString(ctx, "serialization_error"),
                              JS_NewString(ctx, "Guest code returned a non-serializable value"));
  Buffer bytes = {0};
  refused_put(&bytes, refused);
  JS_DefinePropertyValue(ctx, error, refusal, JS_NewArrayBufferCopy(ctx, bytes.data, bytes.size),
                         0);
  free(bytes.data);
  return error;
}

// Small inputs need no allocation, because this buffer is kept. A getter that calls a tool while
// the buffer is in use gets a temporary one.
static Buffer kept;
static bool kept_is_used;

static enum Values rule_of(uint32_t tool) {
  for (uint32_t i = 0; i < rich_ranges; ++i)
    if (tool >= rich_tools[i].first && tool < rich_tools[i].end) return VALUES_RICH;
  return (enum Values)guest_limits.values;
}

// `name` is undefined for a tool that has a number of its own.
static JSValue call_named(JSContext* ctx, uint32_t tool, JSValueConst name, JSValueConst input) {
  Buffer own = {0};
  Buffer* message = kept_is_used ? &own : &kept;
  bool uses_kept = !kept_is_used;
  kept_is_used = true;

  put_u64(message, 0);  // the call's number, once it has one
  put_u32(message, tool);
  bool is_named = !JS_IsUndefined(name);
  Refused refused;
  JSValue promise;
  if (is_named && !put_text(message, ctx, name, MOST_OPEN_NAME_UNITS)) {
    promise = JS_EXCEPTION;
  } else if (!value_put_by(rule_of(tool), message, ctx, input, &refused)) {
    promise = rejected(ctx, new_refusal(ctx, &refused));
  } else if (pending >= guest_limits.pending_calls) {
    promise = rejected(ctx, new_failure(ctx, 0, JS_NewString(ctx, "runtime_error"),
                                        JS_NewString(ctx, "Too many pending tool calls")));
  } else {
    promise = engine_promise(ctx);
    if (!JS_IsException(promise)) {
      MadeCall made = {tool, is_named ? JS_ValueToAtom(ctx, name) : JS_ATOM_NULL,
                       engine_caller(ctx)};
      uint64_t call = call_number(take_slot(JS_DupValue(ctx, promise), made));
      memcpy(message->data, &call, sizeof call);
      host_emit(is_named ? EMIT_CALL_NAMED : EMIT_CALL, message->data, message->size);
    }
  }
  if (uses_kept) {
    buffer_clear(&kept);
    kept_is_used = false;
  } else {
    free(own.data);
  }
  return promise;
}

JSValue tools_call(JSContext* ctx, uint32_t tool, JSValueConst input) {
  return call_named(ctx, tool, JS_UNDEFINED, input);
}

// A tool has one argument. What map() and its kin hand to any function, (item, index, list), is not
// meant for it.
static void look_at_arguments(JSContext* ctx, uint32_t tool, JSValueConst name, int argc,
                              JSValueConst* argv) {
  bool is_of_list = argc == 3 && JS_IsNumber(argv[1]) && JS_IsArray(argv[2]);
  if (argc < 2 || is_of_list || JS_IsUndefined(argv[1])) return;
  MadeCall made = {tool, JS_IsUndefined(name) ? JS_ATOM_NULL : JS_ValueToAtom(ctx, name),
                   engine_caller(ctx)};
  loose_ends_note_arguments(ctx, &made);
  loose_ends_free_call(ctx, made);
}

JSValue tools_call_function(JSContext* ctx, uint32_t tool, JSValueConst name, int argc,
                            JSValueConst* argv) {
  if (argc > 1) look_at_arguments(ctx, tool, name, argc, argv);
  return call_named(ctx, tool, name, argc > 0 ? argv[0] : JS_UNDEFINED);
}

static JSValue call_tool(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv, int magic,
                         JSValueConst* data) {
  (void)self, (void)magic;
  return tools_call_function(ctx, (uint32_t)JS_VALUE_GET_INT(data[0]), JS_UNDEFINED, argc, argv);
}

static JSValue call_numbered(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv,
                             int tool) {
  (void)self;
  return tools_call_function(ctx, (uint32_t)tool, JS_UNDEFINED, argc, argv);
}

JSValue tools_function(JSContext* ctx, JSAtom name, uint32_t tool) {
  JSValue data = JS_NewInt32(ctx, (int32_t)tool);
  JSValue function = JS_NewCFunctionData(ctx, call_tool, 1, 0, 1, (JSValueConst*)&data);
  JS_DefinePropertyValueStr(ctx, function, "name", JS_AtomToString(ctx, name),
                            JS_PROP_CONFIGURABLE);
  return function;
}

static void define_tool(JSContext* ctx, JSValueConst space, JSAtom name, uint32_t tool) {
  JS_DefinePropertyValue(ctx, space, name, tools_function(ctx, name, tool), JS_PROP_C_W_E);
}

// False if it has to be defined at once.
static bool define_later(JSContext* ctx, JSValueConst space, JSAtom name, uint32_t tool,
                         const char* text, uint32_t size, JSCFunctionListEntry* entry) {
  if (tool > INT16_MAX || memchr(text, 0, size)) return false;
  *entry = (JSCFunctionListEntry){
      .name = text,
      .prop_flags = JS_PROP_C_W_E,
      .def_type = JS_DEF_CFUNC,
      .magic = (int16_t)tool,
      .u = {.func = {1, JS_CFUNC_generic_magic, {.generic_magic = call_numbered}}}};
  return engine_define_lazily(ctx, space, name, entry);
}

void tools_define_many(JSContext* ctx, JSValueConst space, uint32_t first, uint32_t count,
                       const uint8_t* names) {
  JSCFunctionListEntry* entries = malloc(count * sizeof *entries);
  if (!entries) __builtin_trap();
  Cursor cursor = {names};
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t size;
    const char* text = take_zero_string(&cursor, &size);
    JSAtom name = JS_NewAtomLen(ctx, text, size);
    if (!define_later(ctx, space, name, first + i, text, size, &entries[i]))
      define_tool(ctx, space, name, first + i);
    JS_FreeAtom(ctx, name);
  }
}

static void define_listed(JSContext* ctx, JSValueConst space, uint32_t first, uint32_t count,
                          Cursor* message) {
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t size;
    const char* text = take_string(message, &size);
    JSAtom name = JS_NewAtomLen(ctx, text, size);
    define_tool(ctx, space, name, first + i);
    JS_FreeAtom(ctx, name);
  }
}

static void note_rich_tools(Range range) {
  rich_tools = realloc(rich_tools, (rich_ranges + 1) * sizeof *rich_tools);
  if (!rich_tools) __builtin_trap();
  rich_tools[rich_ranges++] = range;
}

// The message: u32 count, then for each provider its name, u8 SpaceFlags, u32 count, and the names
// of its tools unless the guest has to ask for them. Tools are numbered in this order through all
// providers. The names that an open provider does not list share one number, which follows those of
// its tools.
void tools_install(JSContext* ctx, JSValueConst global, Cursor* message) {
  uint32_t number = 0;
  uint32_t providers = take_u32(message);
  for (uint32_t i = 0; i < providers; ++i) {
    JSValue name = take_text(message, ctx);
    uint8_t flags = take_u8(message);
    bool is_open = flags & SPACE_IS_OPEN;
    bool is_asked = flags & SPACE_IS_ASKED;
    uint32_t tools = take_u32(message);
    uint32_t first = number;
    JSValue space = is_open    ? open_names_new(ctx, number + tools)
                    : is_asked ? asked_names_new(ctx, i, number, tools)
                               : JS_NewObject(ctx);
    if (!is_asked) define_listed(ctx, space, number, tools, message);
    number += tools;
    if (is_open) ++number;
    if (flags & SPACE_IS_RICH) note_rich_tools((Range){first, number});
    JSAtom key = JS_ValueToAtom(ctx, name);
    JS_DefinePropertyValue(ctx, global, key, space, JS_PROP_C_W_E);
    JS_FreeAtom(ctx, key);
    JS_FreeValue(ctx, name);
  }
}

// False if there is no such call. Otherwise the caller owns the promise and what `made` holds.
static bool free_slot(uint64_t call, JSValue* promise, MadeCall* made) {
  uint32_t index = (uint32_t)call & 0xFFFFF;
  if (index >= slot_count || slots[index].sequence != (uint32_t)(call >> 20)) return false;
  *promise = slots[index].promise;
  *made = slots[index].made;
  slots[index].sequence = 0;
  slots[index].next_free = first_free;
  first_free = index;
  --pending;
  return true;
}

// What a typed error has beside its message, as the program that catches it sees it.
static void add_type(JSContext* ctx, JSValueConst error, Cursor* message) {
  JS_DefinePropertyValueStr(ctx, error, "id", take_text(message, ctx), JS_PROP_C_W_E);
  JSValue data = value_take_rich(message, ctx);
  if (JS_IsException(data)) {  // a regular expression that this engine does not take
    JS_FreeValue(ctx, JS_GetException(ctx));
  } else if (!JS_IsUndefined(data)) {
    JS_DefinePropertyValueStr(ctx, error, "data", data, JS_PROP_C_W_E);
  }
}

void tools_settle(JSContext* ctx, Cursor* message) {
  uint64_t call = take_u64(message);
  JSValue promise;
  MadeCall made;
  if (!free_slot(call, &promise, &made)) return;

  enum Settled settled = take_u8(message);
  bool ok = settled == SETTLED_VALUE || settled == SETTLED_RICH_VALUE;
  JSValue value;
  if (ok) {
    value = settled == SETTLED_VALUE ? value_take(message, ctx) : value_take_rich(message, ctx);
    ok = !JS_IsException(value);
    if (!ok) value = JS_GetException(ctx);
  } else {
    JSValue code = take_text(message, ctx);
    value = new_failure(ctx, call, code, take_text(message, ctx));
    if (settled == SETTLED_TYPED_FAILURE) add_type(ctx, value, message);
    engine_place_error(ctx, value, made.place, promise);
    made.place.function = JS_UNDEFINED;
  }
  // A failure that nobody handles ends the program, so that is told without us.
  if (ok && made.tool < PORT_FIRST && !engine_is_handled(ctx, promise))
    loose_ends_note_answered(ctx, promise, made);
  else
    loose_ends_free_call(ctx, made);
  engine_settle(ctx, promise, value, !ok);
  JS_FreeValue(ctx, value);
  JS_FreeValue(ctx, promise);
}

// The buffer of fed bytes is what was allocated for the message, without its head.
static void* move_fed(JSRuntime* runtime, void* opaque, void* bytes, size_t size) {
  (void)runtime, (void)opaque;
  uint8_t* base = bytes ? (uint8_t*)bytes - FEED_HEAD : NULL;
  if (size == 0) {
    free(base);
    return NULL;
  }
  uint8_t* moved = realloc(base, size + FEED_HEAD);
  return moved ? moved + FEED_HEAD : NULL;
}

void tools_feed(JSContext* ctx, const uint8_t* message, uint32_t size, uint8_t* owned) {
  uint64_t call;
  memcpy(&call, message, sizeof call);
  JSValue promise;
  MadeCall made;
  if (size <= FEED_HEAD || !free_slot(call, &promise, &made)) {
    free(owned);
    return;
  }
  loose_ends_free_call(ctx, made);
  JSValue piece =
      owned ? JS_NewUint8Array(ctx, owned + FEED_HEAD, size - FEED_HEAD, move_fed, NULL, false)
            : JS_NewUint8ArrayCopy(ctx, message + FEED_HEAD, size - FEED_HEAD);
  engine_settle(ctx, promise, piece, false);
  JS_FreeValue(ctx, piece);
  JS_FreeValue(ctx, promise);
}

bool tools_any_pending(void) { return pending > 0; }

void tools_each_pending(JSContext* ctx,
                        void (*see)(JSContext* ctx, JSValueConst promise, const MadeCall* call)) {
  if (pending == 0) return;
  for (uint32_t i = 0; i < slot_count; ++i) {
    if (slots[i].sequence && slots[i].made.tool < PORT_FIRST)
      see(ctx, slots[i].promise, &slots[i].made);
  }
}

// The value of an own private property of `object`, or undefined. Inherited ones do not count: an
// object that inherits from a failure is not that failure.
static JSValue own_private(JSContext* ctx, JSValueConst object, JSAtom key) {
  if (!JS_IsObject(object) || JS_IsProxy(object)) return JS_UNDEFINED;
  JSPropertyDescriptor property;
  if (JS_GetOwnProperty(ctx, &property, object, key) <= 0) return JS_UNDEFINED;
  JS_FreeValue(ctx, property.getter);
  JS_FreeValue(ctx, property.setter);
  return property.value;
}

uint64_t tools_failed_call(JSContext* ctx, JSValueConst thrown) {
  JSValue value = own_private(ctx, thrown, failed_call);
  double call = 0;
  if (JS_IsNumber(value)) JS_ToFloat64(ctx, &call, value);
  JS_FreeValue(ctx, value);
  return (uint64_t)call;
}

void tools_put_refusal(Buffer* buffer, JSContext* ctx, JSValueConst thrown) {
  JSValue value = own_private(ctx, thrown, refusal);
  size_t size = 0;
  const uint8_t* bytes = JS_IsUndefined(value) ? NULL : JS_GetArrayBuffer(ctx, &size, value);
  put_u32(buffer, (uint32_t)size);
  put_bytes(buffer, bytes, (uint32_t)size);
  JS_FreeValue(ctx, value);
}
