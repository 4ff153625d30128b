#pragma once

// How much of the heap is in use, and how much at once since a moment: exact, because every
// allocation of the process goes through it. Link memory_meter.cc for that; there malloc and its
// kin are defined anew, or under a sanitizer its hooks are used.
//
// Mapped memory is not counted: what a guest has of its own has its own limit.

#include <cstddef>

namespace cordon::amplify {

class MemoryMeter {
 public:
  // From here on. One at a time; allocations of all threads count.
  MemoryMeter();
  // The most that was in use at once since then, beyond what was in use at that moment.
  std::size_t peak_bytes() const;

  // Waits until nothing has been freed or allocated for a moment: for two seconds at most.
  static void settle();

 private:
  std::ptrdiff_t before_;
};

}  // namespace cordon::amplify
