#pragma once

// `--trace-file`: what happened and when, for other programs: Chrome's trace viewer and Perfetto
// read "traceEvents", collectors of OpenTelemetry read "resourceSpans". Each of the two passes over
// what it does not know, so that one file can hold both.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "cordon/execution.h"
#include "cordon/value.h"

namespace cordon::cli {

enum class TraceFormat { both, chrome, otel };

struct TraceOf {
  const Report& report;
  std::string_view program;                     // its name
  std::chrono::system_clock::time_point start;  // of the execution
  std::uint64_t seed;                           // makes the ids of its spans
};
Value trace_as_value(const TraceOf& trace, TraceFormat format);

}  // namespace cordon::cli
