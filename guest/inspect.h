// A value as Node's inspector shows it, on one line. No code of the program runs: getters are shown
// as such, a Proxy as its target, and classes by the names in their data.
#pragma once

#include "guest.h"

typedef struct {
  int32_t depth;   // objects that lie deeper are shown by their class; -1: even the value itself
  uint32_t items;  // of an array, Map or Set; the rest is counted
  bool is_alone;   // an error is shown with its whole stack, on several lines
} InspectRule;

extern const InspectRule inspect_nested;  // for a value inside of a text
extern const InspectRule inspect_alone;   // for an argument of console.log

// Strings are quoted. It cannot fail.
void inspect(Buffer* out, JSContext* ctx, JSValueConst value, const InspectRule* rule);

// The name of a property without quotes.
void inspect_key(Buffer* out, JSContext* ctx, JSAtom key);
