#pragma once

// Limits that several parts share.

#include "cordon/needs_cxx23.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace cordon {

// The largest memory of a sandbox: what 32-bit addresses reach.
inline constexpr std::uint64_t max_memory_bytes = std::uint64_t{4} << 30;

// What compiling a plugin's module may cost. It is compiled once and then kept (docs/duplex.md).
// The time of a call that waits for it runs meanwhile; spares are compiled without a call.
struct CompileLimits {
  std::chrono::milliseconds timeout{30'000};
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;  // for the process, beside what it has
};

// How many processors this machine has, or 1 if the system does not say.
inline std::size_t processors() { return std::max(1U, std::thread::hardware_concurrency()); }

}  // namespace cordon
