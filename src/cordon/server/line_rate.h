#pragma once

// Limits how many lines of one kind a log takes. Lines that any client can cause without a login
// must not fill the operator's disk.

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include "cordon/base/instant.h"

namespace cordon::server {

// Any thread.
class LineRate {
 public:
  explicit LineRate(unsigned lines_a_second) : lines_(lines_a_second) {}

  // Nothing where there were enough in this second. Otherwise one may be written, and the number of
  // those that were left out before it is told.
  std::optional<std::uint64_t> take(Instant now) {
    const std::lock_guard lock(mutex_);
    if (now - began_ >= std::chrono::seconds(1)) {
      began_ = now;
      taken_ = 0;
    }
    if (taken_ == lines_) {
      ++left_out_;
      return std::nullopt;
    }
    ++taken_;
    return std::exchange(left_out_, 0);
  }

 private:
  const unsigned lines_;
  std::mutex mutex_;
  Instant began_ = {};
  unsigned taken_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace cordon::server
