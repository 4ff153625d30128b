#include "amplify/memory_meter.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <thread>

#include <malloc.h>

#include "cordon/base/sanitized.h"

namespace {

// Before any constructor has run, there are allocations already. Below zero where a sanitizer's
// hooks see an end whose beginning they did not.
constinit std::atomic<std::ptrdiff_t> in_use = 0;
constinit std::atomic<std::ptrdiff_t> max_in_use = 0;

void add(std::size_t bytes) noexcept {
  const auto more = static_cast<std::ptrdiff_t>(bytes);
  const std::ptrdiff_t now = in_use.fetch_add(more, std::memory_order_relaxed) + more;
  std::ptrdiff_t most = max_in_use.load(std::memory_order_relaxed);
  while (now > most && !max_in_use.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
  }
}

void remove(std::size_t bytes) noexcept {
  in_use.fetch_sub(static_cast<std::ptrdiff_t>(bytes), std::memory_order_relaxed);
}

}  // namespace

#if CORDON_SANITIZED

extern "C" {
// From <sanitizer/allocator_interface.h>, which g++ 12 does not have.
std::size_t __sanitizer_get_allocated_size(const volatile void* block);
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*, std::size_t),
                                              void (*on_free)(const volatile void*));
}

namespace {

void on_malloc(const volatile void*, std::size_t bytes) { add(bytes); }
void on_free(const volatile void* block) {
  if (block != nullptr) remove(__sanitizer_get_allocated_size(block));
}
const int installed = __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);

}  // namespace

#else

// glibc's own, under the names that it keeps for those who stand in for malloc. The names and
// signatures are the C library's.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* block, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void* block);
}

namespace {

void* counted(void* block) noexcept {
  if (block != nullptr) add(malloc_usable_size(block));
  return block;
}

}  // namespace

#define CORDON_STANDS_IN extern "C" __attribute__((visibility("default")))

CORDON_STANDS_IN void* malloc(std::size_t bytes) noexcept { return counted(__libc_malloc(bytes)); }
CORDON_STANDS_IN void* calloc(std::size_t count, std::size_t bytes) noexcept {
  return counted(__libc_calloc(count, bytes));
}
CORDON_STANDS_IN void* realloc(void* block, std::size_t bytes) noexcept {
  const std::size_t before = block == nullptr ? 0 : malloc_usable_size(block);
  void* const moved = __libc_realloc(block, bytes);
  if (moved == nullptr && bytes > 0) return nullptr;
  // While it is copied there are both; glibc moves large ones by their pages, so they do not count
  // twice.
  remove(before);
  return counted(moved);
}
CORDON_STANDS_IN void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  return counted(__libc_memalign(alignment, bytes));
}
CORDON_STANDS_IN void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  return counted(__libc_memalign(alignment, bytes));
}
CORDON_STANDS_IN int posix_memalign(void** block, std::size_t alignment,
                                    std::size_t bytes) noexcept {
  void* const made = counted(__libc_memalign(alignment, bytes));
  if (made == nullptr) return ENOMEM;
  *block = made;
  return 0;
}
CORDON_STANDS_IN void free(void* block) noexcept {
  if (block == nullptr) return;
  remove(malloc_usable_size(block));
  __libc_free(block);
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

#endif

namespace cordon::amplify {

MemoryMeter::MemoryMeter() : before_(in_use.load()) { max_in_use.store(before_); }

std::size_t MemoryMeter::peak_bytes() const {
  return static_cast<std::size_t>(max_in_use.load() - before_);
}

void MemoryMeter::settle() {
  using namespace std::chrono_literals;
  for (int i = 0; i < 100; ++i) {
    const std::ptrdiff_t before = in_use.load();
    std::this_thread::sleep_for(20ms);
    if (in_use.load() == before) return;
  }
}

}  // namespace cordon::amplify
