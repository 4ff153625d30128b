// What a program has left open when its result is decided, or has asked for in vain. The host tells
// it as warnings.
#pragma once

#include "guest.h"

// A call as the program made it.
typedef struct {
  uint32_t tool;
  JSAtom name;  // of a function of an open namespace
  EnginePlace place;
} MadeCall;
void loose_ends_free_call(JSContext* ctx, MadeCall call);  // what it holds

// The call has been answered, and nobody waits for its promise yet. Takes what `call` holds.
void loose_ends_note_answered(JSContext* ctx, JSValueConst promise, MadeCall call);
// It was made with more than one argument.
void loose_ends_note_arguments(JSContext* ctx, const MadeCall* call);
// The result is undefined, because the program ends like this. `name` is a string or undefined, and
// is taken.
void loose_ends_note_no_result(JSContext* ctx, enum NoResult why, JSValue name);
void loose_ends_forget_no_result(void);  // there is a result
// The result is decided.
void loose_ends_tell(JSContext* ctx);

// tools.c: calls `see` with each call that is pending.
void tools_each_pending(JSContext* ctx,
                        void (*see)(JSContext* ctx, JSValueConst promise, const MadeCall* call));
