// The web APIs of a guest: C where speed matters or the engine's insides are needed, JavaScript for
// the rest. All of it is built before the snapshot, so an execution pays for none of it.
#pragma once

#include "../guest.h"

// A function for our own JavaScript, which never shows it to a program.
void web_add_native(JSContext* ctx, JSValueConst natives, const char* name, JSCFunction* function,
                    int length);

void encoding_natives(JSContext* ctx, JSValueConst natives);  // encoding.c
void random_natives(JSContext* ctx, JSValueConst natives);    // random.c
void digest_natives(JSContext* ctx, JSValueConst natives);    // digest.c
void values_natives(JSContext* ctx, JSValueConst natives);    // values.c
