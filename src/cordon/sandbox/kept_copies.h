#pragma once

// Slots whose last guest began with a copy of a file. The copy stays mapped until the slot's next
// guest begins. If that one begins with the same file, it finds it there, which is much cheaper
// than mapping it again and touching its pages for the first time.
//
// No guest reaches a copy that is kept, because it lies beyond the memory of a fresh guest. Any
// thread may use this.

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>

#include "cordon/base/thread_annotations.h"
#include "cordon/sandbox/memory_file.h"

namespace cordon::sandbox {

// Whether a page in a copy of a file has become a copy of its own, by its entry in the page table
// (pagemap in proc(5)). That also holds if the kernel has swapped it out, or is moving it. A page
// that was only read has no entry of that kind: the kernel can drop it and find it again in the
// file.
bool is_copied(std::uint64_t entry);

class KeptCopies {
 public:
  struct Copy {
    std::uint64_t file = 0;  // MemoryFile::id
    std::span<std::uint8_t> room;
  };

  KeptCopies();
  ~KeptCopies();
  KeptCopies(const KeptCopies&) = delete;
  KeptCopies& operator=(const KeptCopies&) = delete;

  // `slot` is where the slot's memory begins.
  void keep(const std::uint8_t* slot, Copy copy);
  std::optional<Copy> take(const std::uint8_t* slot);

  // Restores a copy that was kept. Pages that a guest wrote to were cleared with its slot and are
  // filled again. All others are still those of the file.
  void renew(std::span<std::uint8_t> room, const MemoryFile& file) const;

 private:
  int page_table_ = -1;  // pagemap in proc(5)
  Mutex mutex_;
  std::unordered_map<const std::uint8_t*, Copy> copies_ CORDON_GUARDED_BY(mutex_);
};

}  // namespace cordon::sandbox
