#pragma once

// Bytes that nobody can guess.

#include <cstdint>
#include <span>

#include "cordon/result.h"

namespace cordon {

// From the system. It makes no other system call than getrandom, so it may be used in a jail.
Result<> fill_with_randomness(std::span<std::uint8_t> bytes);

}  // namespace cordon
