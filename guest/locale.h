// toLocaleString and its kin without Intl: what Node says in en-US and UTC, which
// are its defaults in a server. A locale or an option that would have to change that is a
// RangeError which says what to write: nothing is ignored in silence. (engine/collation.c has
// localeCompare.)
#pragma once

#include "guest.h"

enum { MAX_OPTION = 24 };  // characters of a locale or an option's value

// The arguments of one call. Once something is refused, all that is read after it is as if it were
// not there.
typedef struct {
  JSContext* ctx;
  const char* method;
  const char* advice;  // what to write instead
  JSValueConst options;
  bool failed;  // an exception is pending
} Asked;

// Reads the locales at argv[at] and the options behind them. `known_locales` are words in lower
// case with a blank before and behind each.
Asked asked_for(JSContext* ctx, const char* method, const char* advice, int argc,
                JSValueConst* argv, int at, const char* known_locales);
extern const char english_locales[];

// Throws that `what` ("the locale 'x' is", for example) is not supported.
void asked_refuse(Asked* asked, const char* what);
void asked_refuse_option(Asked* asked, const char* name, const char* value);

// An option; undefined where there is none, or after a failure.
JSValue asked_option(Asked* asked, const char* name);
bool asked_is_false(Asked* asked, const char* name);  // set, and false
// The place of an option's value in a list of words, from 1 on; 0 if it is not set.
int asked_choice(Asked* asked, const char* name, const char* const* words);
int asked_count(Asked* asked, const char* name);  // -1 if it is not set
void asked_without(Asked* asked, const char* const* names);

void locale_numbers_install(JSContext* ctx, JSValueConst number,
                            JSValueConst bigint);  // prototypes
void locale_dates_install(JSContext* ctx, JSValueConst date);
void locale_set(JSContext* ctx, JSValueConst prototype, const char* name, JSValue function);
