// The web APIs of a guest: C where speed matters or the engine's insides are needed, JavaScript for
// the rest. All of it is built before the snapshot, so an execution pays for none of it.
#pragma once

#include "../guest.h"

// A function for our own JavaScript, which never shows it to a program.
void web_add_native(JSContext* ctx, JSValueConst natives, const char* name, JSCFunction* function,
                    int length);

// The characters of a string as UTF-8; a lone surrogate becomes U+FFFD. False: no memory, an
// exception is pending.
bool put_scalars(Buffer* buffer, JSContext* ctx, JSValueConst string);
// What UTF-8 says; each malformed part becomes U+FFFD.
JSValue decoded_utf8(JSContext* ctx, const uint8_t* bytes, uint32_t size);
// The same for a decoder: it throws at a malformed part if `fatal`, and leaves a sequence at the
// end that is not finished if it can say how many bytes that are (otherwise NULL).
JSValue decode_utf8(JSContext* ctx, const uint8_t* bytes, uint32_t size, bool fatal,
                    uint32_t* unfinished);
JSValue decode_failed(JSContext* ctx);  // throws

// url_values.c: URL and URLSearchParams as values that cross. The text of one; undefined: neither.
JSValue web_url_text(JSContext* ctx, JSValueConst object, bool* is_params);
bool web_is_url(JSValueConst object);  // url.c
JSValue web_new_url(JSContext* ctx, JSValueConst text, bool is_params);

void encoding_natives(JSContext* ctx, JSValueConst natives);   // encoding.c
void decoder_natives(JSContext* ctx, JSValueConst natives);    // decoders.c
void random_natives(JSContext* ctx, JSValueConst natives);     // random.c
void subtle_natives(JSContext* ctx, JSValueConst natives);     // subtle.c
void url_natives(JSContext* ctx, JSValueConst natives);        // url.c
void url_value_natives(JSContext* ctx, JSValueConst natives);  // url_values.c
void values_natives(JSContext* ctx, JSValueConst natives);     // values.c
