#pragma once

// What a runner grants at most. A host asks for limits in `execute.options`; larger ones are
// lowered to these, which are the operator's.

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
  std::size_t message_bytes = std::size_t{64} << 20;  // of one message from the host
};

// Of one `execute`: more than that is refused as malformed.
inline constexpr std::size_t max_providers = 10'000;
inline constexpr std::size_t max_tools = 100'000;
// Of a provider or a tool: each call that is recorded repeats them.
inline constexpr std::size_t max_name_bytes = 1024;

// An array within an array takes a byte, and a level of the parser more than that. What is nested
// deeper than a guest may see is read all the same, so that its call can be told.
inline constexpr std::size_t max_nesting = 100'000;

// Of a message that is too large to be read, this much of its id is.
inline constexpr std::size_t max_envelope_text_bytes = 4096;

}  // namespace cordon::execbox
