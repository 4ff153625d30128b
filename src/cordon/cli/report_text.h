#pragma once

// How the end of an execution is shown: to people on stderr, to programs as JSON.

#include <string>

#include "cordon/cli/terminal.h"
#include "cordon/execution.h"
#include "cordon/value.h"

namespace cordon::cli {

// {"ok", "result" or "error", "logs", "calls", "durationMs", …}, the shape that `cordon run --json`
// promises.
Value report_as_value(const Report& report);

// What went wrong, with the place and the guest's stack, in a few lines.
std::string error_text(const ExecutionError& error, const Terminal& terminal);
// One line.
std::string warning_text(const Warning& warning, const Terminal& terminal);
enum class LogTime { hidden, shown };
std::string log_text(const LogLine& line, std::string_view source, const Terminal& terminal,
                     LogTime time = LogTime::hidden);
std::string figures_text(const Report& report, const Terminal& terminal);

}  // namespace cordon::cli
