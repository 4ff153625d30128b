#pragma once

// Slots whose last guest began with a copy of a file (Instance::map_copy): the copy stays mapped
// until the slot's next guest says what it begins with. One that begins with the same file finds it
// there, which is much cheaper than mapping it anew and touching its pages for the first time.
//
// Nobody reaches a copy that is kept: it lies beyond the memory that a fresh guest has. Any thread
// may use this.

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>

#include "cordon/base/thread_annotations.h"
#include "cordon/sandbox/memory_file.h"

namespace cordon::sandbox {

// Of a page in a copy of a file, by its entry in the page table (pagemap in proc(5)): whether it is
// a copy of its own by now. It is the same if the kernel has put it out to swap, or moves it at
// this moment. A page that was only read has none: the kernel forgets that and finds it again in
// the file.
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

  // `slot` is where its memory begins.
  void keep(const std::uint8_t* slot, Copy copy);
  std::optional<Copy> take(const std::uint8_t* slot);

  // Makes a copy that was kept what it was at first. Pages that a guest wrote to were cleared with
  // its slot, and are filled again; all others are still the file's.
  void renew(std::span<std::uint8_t> room, const MemoryFile& file) const;

 private:
  int page_table_ = -1;  // pagemap in proc(5)
  Mutex mutex_;
  std::unordered_map<const std::uint8_t*, Copy> copies_ CORDON_GUARDED_BY(mutex_);
};

}  // namespace cordon::sandbox
