#pragma once

// The end of a process from inside of a signal's handler: a line on standard error, and an exit
// code. Both are settled before, since a handler can put nothing together.
//
// For a process that does one thing. Everything here is the process's, and one thread calls it.

#include <string_view>

#include "cordon/base/instant.h"

namespace cordon::sandbox {

// At this time, in the place of what was said for an earlier or later one.
void end_at(Instant time, int exit_code, std::string_view line);
void end_at_no_time();

// When something calls abort: Rust code that gets no memory, for one.
void end_on_abort(int exit_code, std::string_view line);
void abort_as_usual();

}  // namespace cordon::sandbox
