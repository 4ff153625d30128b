#pragma once

// Points and lengths of time. Sessions read no clock: an Instant is handed to them.

#include <chrono>

namespace cordon {

using Instant = std::chrono::steady_clock::time_point;
using Duration = std::chrono::steady_clock::duration;

}  // namespace cordon
