#pragma once

// The operator's upper limits. A host asks for limits in `execute.options`; larger ones are lowered
// to these.

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "cordon/limits.h"

namespace cordon::execbox {

struct Ceilings {
  std::chrono::milliseconds timeout = std::chrono::hours(24 * 365);
  std::uint64_t memory_bytes = max_memory_bytes;
  std::size_t log_lines = 100'000;
  std::size_t log_chars = std::size_t{16} << 20;
};

struct SessionLimits {
  Ceilings ceilings = {};
  std::size_t message_bytes = std::size_t{64} << 20;  // for one message from the host
};

// For one `execute`. More is refused as malformed.
inline constexpr std::size_t max_providers = 10'000;
inline constexpr std::size_t max_tools = 100'000;
// For the name of a provider or a tool. Each recorded call repeats them.
inline constexpr std::size_t max_name_bytes = 1024;

// An array within an array takes one byte, but a level of the parser takes more. What is nested
// deeper than a guest may see is read all the same, so that its call can be answered.
inline constexpr std::size_t max_nesting = 100'000;

// This much of the id is read from a message that is too large.
inline constexpr std::size_t max_envelope_text_bytes = 4096;

}  // namespace cordon::execbox
