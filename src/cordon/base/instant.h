#pragma once

// Points and lengths of time. Sessions read no clock; their caller passes an Instant.

#include <chrono>

namespace cordon {

using Instant = std::chrono::steady_clock::time_point;
using Duration = std::chrono::steady_clock::duration;

}  // namespace cordon
