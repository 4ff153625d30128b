#pragma once

// Unpredictable bytes.

#include <cstdint>
#include <span>

#include "cordon/result.h"

namespace cordon {

// They come from the system. The only system call is getrandom, so it works in a jail.
Result<> fill_with_randomness(std::span<std::uint8_t> bytes);

}  // namespace cordon
