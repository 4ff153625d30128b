#pragma once

// `--trace`: what happened and when, drawn for people.

#include <string>

#include "cordon/cli/terminal.h"
#include "cordon/execution.h"

namespace cordon::cli {

// The waterfall: a line for the program, for each tool call and for each log line, in the order of
// their beginnings, with bars on one time axis.
std::string trace_text(const Report& report, const Terminal& terminal);

}  // namespace cordon::cli
