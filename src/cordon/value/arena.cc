#include "cordon/value/arena.h"

#include <algorithm>
#include <cstdlib>

namespace cordon {
namespace {

constexpr std::size_t max_block_bytes = std::size_t{1} << 20;

char* allocate_block(std::size_t bytes) {
  void* const block = std::malloc(bytes);
  if (block == nullptr) throw std::bad_alloc();
  return static_cast<char*>(block);
}

}  // namespace

Arena* Arena::create(std::size_t first_bytes, std::shared_ptr<Budget> budget) {
  const std::size_t bytes = sizeof(Arena) + ((first_bytes + 7) & ~std::size_t{7});
  Charge charge(std::move(budget));
  charge.require(bytes);
  char* const block = allocate_block(bytes);
  return new (block) Arena(block + sizeof(Arena), block + bytes, bytes, std::move(charge));
}

void* Arena::allocate_slowly(std::size_t bytes) {
  if (bytes > std::size_t{1} << 48) throw std::bad_alloc();
  const std::size_t rounded = (bytes + 7) & ~std::size_t{7};
  const std::size_t next_bytes =
      std::min(std::max(block_bytes_, std::size_t{256}) * 2, max_block_bytes);

  // A large allocation gets a block of its own, and the rest of the current block stays in use.
  const bool own_block = rounded > next_bytes / 4;
  const std::size_t size = sizeof(Block) + (own_block ? rounded : next_bytes);
  charge_.require(size);
  char* const memory = allocate_block(size);
  blocks_ = new (memory) Block{blocks_};
  char* const start = memory + sizeof(Block);
  if (!own_block) {
    cursor_ = start + rounded;
    end_ = memory + size;
    block_bytes_ = next_bytes;
  }
  return start;
}

void Arena::adopt(Arena& other) {
  // Parts of one message are often spliced one after the other, and one entry is enough for them.
  if (&other == this || (adopted_ != nullptr && adopted_->arena == &other)) return;
  adopted_ = new (allocate(sizeof(Adopted))) Adopted{&other, adopted_};
  other.retain();
}

// Why this must not recurse: arenas adopt arenas, and a program decides how long such a chain gets.
// A value that is extended a thousand times, each time by a message of its own, hangs on a chain of
// a thousand arenas, each kept by the one before. A destructor that released its own adopted arenas
// would use a stack frame for each of them.
//
// So the dead go on a list that is threaded through the arenas themselves (next_dead_): an arena
// joins it when its last reference goes, and leaves it when it is freed. Each arena joins once,
// since only one fetch_sub sees the count reach zero. next_dead_ needs no lock: the thread that
// took the last reference has the arena alone. No memory is allocated, so this cannot fail. The
// Adopted entries lie in the arena's own blocks and are read before these are freed.
void Arena::release(Arena* arena) noexcept {
  const auto last_reference = [](Arena* of) {
    return of->references_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  };
  if (!last_reference(arena)) return;

  Arena* dead = arena;
  while (dead != nullptr) {
    Arena* const current = dead;
    dead = current->next_dead_;
    for (const Adopted* adopted = current->adopted_; adopted != nullptr; adopted = adopted->next) {
      if (last_reference(adopted->arena)) {
        adopted->arena->next_dead_ = dead;
        dead = adopted->arena;
      }
    }
    for (Block* block = current->blocks_; block != nullptr;) {
      Block* const next = block->next;
      std::free(block);
      block = next;
    }
    current->~Arena();
    std::free(current);
  }
}

}  // namespace cordon
