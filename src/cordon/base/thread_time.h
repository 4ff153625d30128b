#pragma once

// The processor's time that this thread has taken: what a piece of work cost, however many others
// wanted the processor meanwhile.

#include <chrono>
#include <ctime>

#include "cordon/base/instant.h"

namespace cordon {

inline Duration thread_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace cordon
