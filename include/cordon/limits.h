#pragma once

// Numbers that several defaults are made of.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace cordon {

// The memory of one sandbox can be no larger: what 32-bit addresses reach.
inline constexpr std::uint64_t max_memory_bytes = std::uint64_t{4} << 30;

// How many this machine has, and 1 where the system does not say.
inline std::size_t processors() { return std::max(1U, std::thread::hardware_concurrency()); }

}  // namespace cordon
