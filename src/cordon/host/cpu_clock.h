#pragma once

// Processor time of this thread.

#include <ctime>

#include "cordon/base/instant.h"

namespace cordon::host {

inline Duration cpu_clock() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace cordon::host
