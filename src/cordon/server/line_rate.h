#pragma once

// Limits how many lines of one kind a log takes. Lines that any client can cause without a login
// must not fill the operator's disk.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>

#include "cordon/base/instant.h"

namespace cordon::server {

// Any thread.
class LineRate {
 public:
  explicit LineRate(unsigned lines_a_second) : lines_(lines_a_second) {}

  // Whether one more may be written in this second. Otherwise it counts as left out.
  bool take(Instant now) {
    const std::lock_guard lock(mutex_);
    if (now - began_ >= std::chrono::seconds(1)) {
      began_ = now;
      taken_ = 0;
    }
    if (taken_ < lines_) {
      ++taken_;
      return true;
    }
    left_out_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }

  // Whether there is anything to tell. It costs next to nothing, so ask before you read a clock.
  bool has_left_out() const { return left_out_.load(std::memory_order_relaxed) > 0; }
  // How many were left out and not told yet, once their second is over.
  std::uint64_t left_out(Instant now) {
    const std::lock_guard lock(mutex_);
    return now - began_ >= std::chrono::seconds(1) ? left_out_.exchange(0) : 0;
  }

 private:
  const unsigned lines_;
  std::mutex mutex_;  // of what follows, but for reading the last one
  Instant began_ = {};
  unsigned taken_ = 0;
  std::atomic<std::uint64_t> left_out_ = 0;
};

}  // namespace cordon::server
