#pragma once

// How guests share a thread with the sockets that it reads.

#include <chrono>

namespace cordon::server {

// How long guests compute between two looks at the sockets: a `cancel`, or the next request, waits
// no longer than this.
inline constexpr std::chrono::milliseconds turn{5};

}  // namespace cordon::server
