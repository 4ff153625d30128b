#pragma once

// Wakes a thread that polls. What that thread does itself costs no system call: it looks before it
// polls.

#include <atomic>
#include <cstdint>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "cordon/base/descriptor.h"

namespace cordon::runners {

class Waker {
 public:
  // Any thread; also where a lock is held.
  void wake() {
    if (driver_.load() == std::this_thread::get_id()) {
      has_woken_itself_ = true;
      return;
    }
    const std::uint64_t one = 1;
    // A counter that is full can be read already.
    if (write(event_.number(), &one, sizeof one) < 0) return;
  }
  void clear() const {
    std::uint64_t count = 0;
    if (read(event_.number(), &count, sizeof count) < 0) return;  // nobody woke it
  }
  // This thread is the one that polls.
  void drive() { driver_.store(std::this_thread::get_id()); }
  // For that thread: whether it need not poll.
  bool take_own() { return std::exchange(has_woken_itself_, false); }
  int descriptor() const { return event_.number(); }

 private:
  std::atomic<std::thread::id> driver_ = {};
  bool has_woken_itself_ = false;
  Descriptor event_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
};

}  // namespace cordon::runners
