#pragma once

// Times of one thing that was done many times, in seconds.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

namespace cordon::bench {

class Samples {
 public:
  explicit Samples(std::size_t expected) { seconds_.reserve(expected); }

  template <class F>
  void time(F&& function) {
    const auto start = std::chrono::steady_clock::now();
    std::forward<F>(function)();
    add(std::chrono::steady_clock::now() - start);
  }

  void add(std::chrono::duration<double> time) { seconds_.push_back(time.count()); }

  // Orders the samples.
  double percentile(std::size_t percent) {
    if (seconds_.empty()) return 0;
    std::sort(seconds_.begin(), seconds_.end());
    return seconds_[std::min(seconds_.size() - 1, seconds_.size() * percent / 100)];
  }

 private:
  std::vector<double> seconds_;
};

template <class Work>
double median_seconds(std::size_t rounds, Work work) {
  Samples samples(rounds);
  for (std::size_t i = 0; i < rounds; ++i) samples.time(work);
  return samples.percentile(50);
}

}  // namespace cordon::bench
