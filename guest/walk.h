// A pass through a JavaScript value into bytes. values_out.c has the walk and the kinds that every
// rule lets out. values_rich.c has those that only VALUES_RICH lets out, values_json.c what
// VALUES_JSON makes of others.
#pragma once

#include "guest.h"

typedef struct {
  JSAtom key;  // JS_ATOM_NULL: `index` is meant
  uint32_t index;
  void* object;  // whose property it is
} Step;

// An object that was met, and its number. The table owns a reference: while the walk lasts, the
// address of an object that a getter made must not be reused for another one.
typedef struct {
  JSValue object;  // undefined if the place is free
  uint32_t number;
} Met;

typedef struct {
  JSContext* ctx;
  Buffer* out;
  uint32_t start;  // where the value begins in `out`
  uint32_t elements;
  uint32_t depth;
  uint32_t capacity;
  Step* path;  // one step per level, the innermost last
  Step first_steps[16];
  Refused* refused;
  bool is_rich;
  bool is_json;
  JSAtom to_json;  // if is_json
  Met* met;
  uint32_t met_count;
  uint32_t met_capacity;  // a power of two, or 0
} Walk;

bool walk_any(Walk* walk, JSValueConst value);
bool walk_array(Walk* walk, JSValueConst array);
// Writes u32 count and the own properties with string keys: those that `leave_out` does not leave
// out, or the enumerable ones if it is NULL.
typedef bool LeaveOut(JSContext* ctx, JSValueConst object, JSAtom key);
bool walk_members(Walk* walk, JSValueConst object, LeaveOut* leave_out);
// Names the part of the innermost object that comes next, for the place of a refusal.
void walk_at(Walk* walk, JSAtom key, uint32_t index);

bool walk_refuse(Walk* walk, enum Refusal why);
bool walk_refuse_object(Walk* walk, JSValueConst object);
bool walk_refuse_throw(Walk* walk);  // a getter or a trap threw
bool walk_within_size(Walk* walk);

// values_rich.c
bool rich_symbol(Walk* walk, JSValueConst symbol);
bool rich_bigint(Walk* walk, JSValueConst bigint);
// Writes TAG_SAME if the object was met before.
bool rich_is_met(Walk* walk, JSValueConst object);
// An object that is not an array; the walk has entered it.
bool rich_object(Walk* walk, JSValueConst object);
void rich_end(Walk* walk);

// values_json.c, for a walk that is_json
// Takes `value` and returns what its toJSON gives, if it has one. Otherwise the value itself. Of an
// exception the walk has been refused.
JSValue json_value(Walk* walk, JSValue value);
// Whether a member with such a value is left out.
bool json_leaves_out(JSContext* ctx, JSValueConst value);
// An object that is neither an array nor plain; the walk has entered it.
bool json_object(Walk* walk, JSValueConst object);
