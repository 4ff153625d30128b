#pragma once

// Where the lines of a log go: a descriptor whose reader may be slow, or may not read at all. A
// full pipe takes lines only while there is room, so that a thread that logs never waits for long.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "cordon/base/thread_annotations.h"

namespace cordon::server {

// Any thread.
class LogOutlet {
 public:
  // Borrows the descriptor. Where there is no room, a line waits this long for it, once: those
  // after it are lost at once, until there is room again.
  explicit LogOutlet(int descriptor,
                     std::chrono::milliseconds patience = std::chrono::milliseconds(100))
      : descriptor_(descriptor), patience_(patience) {}

  // Writes a line, without its end; how many were lost before it.
  std::uint64_t put(std::string line);

 private:
  bool has_room() CORDON_REQUIRES(mutex_);

  const int descriptor_;
  const std::chrono::milliseconds patience_;
  Mutex mutex_;
  bool is_full_ CORDON_GUARDED_BY(mutex_) = false;
  bool is_torn_ CORDON_GUARDED_BY(mutex_) = false;  // the last line that is there has no end
  std::uint64_t lost_ CORDON_GUARDED_BY(mutex_) = 0;
};

}  // namespace cordon::server
