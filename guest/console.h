// The parts of console.log and the like.
#pragma once

#include "guest.h"

// console_text.c: what is logged of a value. What JSON carries is shown as JSON.stringify has it,
// with whatever depth; anything else as Node's inspector shows it, on one line. Strings are shown
// as they are. None of this fails, whatever it is given.
void console_put_argument(Buffer* out, JSContext* ctx, JSValueConst value);
// Joined by spaces, after the directives of the first one (`%s` and so on), as util.format of Node.
void console_put_arguments(Buffer* out, JSContext* ctx, int argc, JSValueConst* argv);

// console_table.c: `data` as a table. False if it is no object.
bool console_put_table(Buffer* out, JSContext* ctx, JSValueConst data, JSValueConst columns);
