#pragma once

// The processor time that this thread has used. It tells what a piece of work cost, however busy
// the machine was.

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
