#include "cordon/sandbox/kept_copies.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace cordon::sandbox {
namespace {

constexpr std::size_t page_bytes = 4096;
constexpr std::size_t entries_at_once = 512;

// Bits of an entry of the page table.
constexpr std::uint64_t is_present = std::uint64_t{1} << 63;
constexpr std::uint64_t is_swapped = std::uint64_t{1} << 62;
constexpr std::uint64_t is_of_file = std::uint64_t{1} << 61;

}  // namespace

bool is_copied(std::uint64_t entry) {
  return (entry & (is_present | is_swapped)) != 0 && (entry & is_of_file) == 0;
}

KeptCopies::KeptCopies() : page_table_(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {}

KeptCopies::~KeptCopies() {
  if (page_table_ >= 0) close(page_table_);
}

void KeptCopies::keep(const std::uint8_t* slot, Copy copy) {
  const MutexLock lock(mutex_);
  copies_.insert_or_assign(slot, copy);
}

std::optional<KeptCopies::Copy> KeptCopies::take(const std::uint8_t* slot) {
  const MutexLock lock(mutex_);
  const auto found = copies_.find(slot);
  if (found == copies_.end()) return std::nullopt;
  const Copy copy = found->second;
  copies_.erase(found);
  return copy;
}

void KeptCopies::renew(std::span<std::uint8_t> room, const MemoryFile& file) const {
  const BytesView content = file.content();
  std::uint64_t entries[entries_at_once];
  for (std::size_t at = 0; at < room.size();) {
    const std::size_t left = (room.size() - at + page_bytes - 1) / page_bytes;
    const std::size_t wanted = std::min(left, entries_at_once) * sizeof entries[0];
    const auto first = reinterpret_cast<std::uintptr_t>(room.data() + at) / page_bytes;
    const ssize_t got =
        pread(page_table_, entries, wanted, static_cast<off_t>(first * sizeof entries[0]));
    // Without the table any page may have been written to.
    const bool is_known = got == static_cast<ssize_t>(wanted);
    for (std::size_t i = 0; i < wanted / sizeof entries[0]; ++i, at += page_bytes) {
      if (is_known && !is_copied(entries[i])) continue;
      std::memcpy(room.data() + at, content.data() + at, std::min(page_bytes, room.size() - at));
    }
  }
}

}  // namespace cordon::sandbox
