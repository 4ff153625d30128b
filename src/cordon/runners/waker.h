#pragma once

// Wakes a thread that polls.

#include <cstdint>
#include <sys/eventfd.h>
#include <unistd.h>

#include "cordon/base/descriptor.h"

namespace cordon::runners {

class Waker {
 public:
  // Any thread; also where a lock is held.
  void wake() const {
    const std::uint64_t one = 1;
    // A counter that is full can be read already.
    if (write(event_.number(), &one, sizeof one) < 0) return;
  }
  void clear() const {
    std::uint64_t count = 0;
    if (read(event_.number(), &count, sizeof count) < 0) return;  // nobody woke it
  }
  int descriptor() const { return event_.number(); }

 private:
  Descriptor event_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
};

}  // namespace cordon::runners
