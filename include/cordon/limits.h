#pragma once

// Limits that several parts share.

#include "cordon/needs_cxx23.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace cordon {

// The memory of one sandbox can be no larger: what 32-bit addresses reach.
inline constexpr std::uint64_t max_memory_bytes = std::uint64_t{4} << 30;

// What compiling a plugin's module may cost, beside the calls that wait for it. It is compiled
// once, and then kept (docs/duplex.md). A call's own time goes on meanwhile: spares are compiled
// without one.
struct CompileLimits {
  std::chrono::milliseconds timeout{30'000};
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;  // of the process, beside what it has
};

// How many this machine has, and 1 where the system does not say.
inline std::size_t processors() { return std::max(1U, std::thread::hardware_concurrency()); }

}  // namespace cordon
