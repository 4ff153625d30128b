#pragma once

// How often a client may do what costs it nothing and us something: a number at once, which grows
// back with time.

#include <algorithm>
#include <chrono>

#include "cordon/base/instant.h"

namespace cordon::transport::http {

class Allowance {
 public:
  Allowance(unsigned at_once, unsigned per_second, Instant now)
      : most_(at_once), per_second_(per_second), left_(at_once), since_(now) {}

  // False where it is used up.
  bool take(Instant now) {
    const std::chrono::duration<double> passed = now - since_;
    since_ = now;
    left_ = std::min<double>(most_, left_ + passed.count() * per_second_);
    if (left_ < 1) return false;
    left_ -= 1;
    return true;
  }
  // What was taken, or earned in another way.
  void give_back(unsigned count) { left_ = std::min<double>(most_, left_ + count); }

 private:
  const double most_;
  const double per_second_;
  double left_;
  Instant since_;
};

}  // namespace cordon::transport::http
