#pragma once

// The memory of one message: nodes and text are bumped off blocks and freed all at once.
//
// It has an atomic reference count, so that Values on many threads may share it. Only the builder
// that fills it allocates from it. Afterwards it does not change.
//
// With a budget, an arena takes every block from it before it allocates, and gives all of them back
// when the last Value that shares the arena is destroyed. So a message counts for as long as any
// part of it is kept.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "cordon/base/budget.h"

namespace cordon {

class Arena {
 public:
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // The new arena has one reference. It lives in its own first block, so a small message is one
  // malloc. Throws OverBudget, as allocate() does.
  static Arena* create(std::size_t first_bytes, std::shared_ptr<Budget> budget = {});

  void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  // Also frees arenas that only this one kept. A chain of any length takes no stack.
  static void release(Arena* arena) noexcept;

  // Aligned to 8. Throws std::bad_alloc, or OverBudget if the budget does not cover it.
  void* allocate(std::size_t bytes) {
    char* const at = cursor_;
    if (bytes > static_cast<std::size_t>(end_ - at)) return allocate_slowly(bytes);
    const std::size_t step = (bytes + 7) & ~std::size_t{7};
    // The rounding may pass the end by less than a word; then the block is simply full.
    cursor_ = step > static_cast<std::size_t>(end_ - at) ? end_ : at + step;
    return at;
  }

  template <class T>
  T* allocate_array(std::size_t count) {
    static_assert(alignof(T) <= 8);
    // Counts are below 2^32, so that no product overflows.
    return static_cast<T*>(allocate(count * sizeof(T)));
  }

  // Keeps `other` alive as long as this one.
  void adopt(Arena& other);

 private:
  struct Block {
    Block* next;
  };
  struct Adopted {
    Arena* arena;
    Adopted* next;
  };

  Arena(char* cursor, char* end, std::size_t block_bytes, Charge charge)
      : cursor_(cursor), end_(end), block_bytes_(block_bytes), charge_(std::move(charge)) {}
  void* allocate_slowly(std::size_t bytes);

  std::atomic<std::uint64_t> references_{1};
  char* cursor_;
  char* end_;
  std::size_t block_bytes_;  // the size of the newest block; the next one is twice as large
  Block* blocks_ = nullptr;
  Adopted* adopted_ = nullptr;
  Arena* next_dead_ = nullptr;
  Charge charge_;  // for all blocks, with the first
};

}  // namespace cordon
