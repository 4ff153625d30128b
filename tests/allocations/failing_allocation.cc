#include "failing_allocation.h"

#include <cstdlib>
#include <new>

namespace {

// 0: none is to fail.
thread_local std::size_t left = 0;
thread_local bool happened = false;
thread_local long live = 0;

bool is_to_fail() {
  if (left == 0) return false;
  --left;
  happened = left == 0;
  return happened;
}

void* counted(void* block) {
  if (block != nullptr) ++live;
  return block;
}

}  // namespace

// The names are the linker's: --wrap=malloc calls __wrap_malloc where malloc stands, and
// __real_malloc is the one that was there.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {
void* __real_malloc(std::size_t size);
void* __real_calloc(std::size_t count, std::size_t size);
void* __real_realloc(void* block, std::size_t size);
void __real_free(void* block);

void* __wrap_malloc(std::size_t size) {
  return is_to_fail() ? nullptr : counted(__real_malloc(size));
}
void* __wrap_calloc(std::size_t count, std::size_t size) {
  return is_to_fail() ? nullptr : counted(__real_calloc(count, size));
}
void* __wrap_realloc(void* block, std::size_t size) {
  if (is_to_fail()) return nullptr;
  return block == nullptr ? counted(__real_realloc(block, size)) : __real_realloc(block, size);
}
void __wrap_free(void* block) {
  if (block != nullptr) --live;
  __real_free(block);
}
}

void* operator new(std::size_t size) {
  void* const block = is_to_fail() ? nullptr : counted(__real_malloc(size));
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto to = static_cast<std::size_t>(alignment);
  void* const block =
      is_to_fail() ? nullptr : counted(std::aligned_alloc(to, (size + to - 1) / to * to));
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new[](std::size_t size, std::align_val_t to) { return operator new(size, to); }
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
void operator delete(void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t) noexcept { std::free(block); }
void operator delete[](void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept { std::free(block); }

namespace cordon::testing {

FailingAllocation::FailingAllocation(std::size_t number) {
  happened = false;
  left = number;
}

FailingAllocation::~FailingAllocation() { left = 0; }

bool FailingAllocation::has_happened() { return happened; }

long live_blocks() { return live; }

}  // namespace cordon::testing
