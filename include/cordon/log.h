#pragma once

// Lines that a guest logs.

#include "cordon/needs_cxx23.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "cordon/export.h"

namespace cordon {

// Their numbers are those of guest/abi.h.
enum class LogLevel : std::uint8_t { log, info, warn, error, debug };
CORDON_API std::string_view name_of(LogLevel level);

struct LogLine {
  LogLevel level = LogLevel::log;
  std::string text = {};
  std::chrono::microseconds at{};  // since the execution's start
};

}  // namespace cordon
