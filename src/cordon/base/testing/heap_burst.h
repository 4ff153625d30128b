#pragma once

// A heap as a burst leaves it: large, nearly empty, and with a block in use every now and then, so
// that it does not shrink by itself.

#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

#include "cordon/base/process_figures.h"

namespace cordon::testing {

class HeapBurst {
 public:
  HeapBurst() {
    for (std::size_t i = 0; i < count; ++i) {
      blocks_.push_back(std::make_unique<char[]>(bytes));
      std::memset(blocks_.back().get(), 1, bytes);
    }
    full_ = resident_bytes();
  }

  // The burst is over.
  void free_most() {
    for (std::size_t i = 0; i < count; ++i) {
      if (i % 64 != 63) blocks_[i].reset();
    }
  }
  // Whether the system has half of it back at least.
  bool is_given_back() const { return resident_bytes() + count * bytes / 2 < full_; }

 private:
  static constexpr std::size_t count = 20'000;
  static constexpr std::size_t bytes = 4096;
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t full_ = 0;
};

}  // namespace cordon::testing
