#pragma once

// Lets one allocation of this thread fail, by number, as if memory had run out: `operator new`
// throws std::bad_alloc, and malloc, calloc and realloc give null. The linker leads those three,
// and free, here (--wrap), from all code that is linked into the test program.

#include <cstddef>

namespace cordon::testing {

class FailingAllocation {
 public:
  // Counted from 1. One at a time.
  explicit FailingAllocation(std::size_t number);
  ~FailingAllocation();
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;

  // There were as many allocations, and the last of them failed.
  static bool has_happened();
};

// Blocks that this thread has allocated and nobody has freed.
long live_blocks();

}  // namespace cordon::testing
