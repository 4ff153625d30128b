#pragma once

// Ends a process from inside a signal handler, with a line on standard error and an exit code. Both
// are prepared beforehand, since a handler may not allocate.
//
// For a process that does one thing. The state is global, and only one thread may call these
// functions.

#include <string_view>

#include "cordon/base/instant.h"

namespace cordon::sandbox {

// Ends the process at this time. Replaces a time that was set before.
void end_at(Instant time, int exit_code, std::string_view line);
void end_at_no_time();

// Ends the process like this when something calls abort, such as Rust code that gets no memory.
void end_on_abort(int exit_code, std::string_view line);
void abort_as_usual();

}  // namespace cordon::sandbox
