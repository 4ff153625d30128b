#include "cordon/sandbox/idle_slots.h"

#include <sys/mman.h>
#include <utility>
#include <vector>

namespace cordon::sandbox {

void IdleSlots::take(const std::uint8_t* slot) {
  const std::lock_guard lock(mutex_);
  const auto found = left_.find(slot);
  if (found != left_.end()) found->second = {};
}

void IdleSlots::leave(std::span<std::uint8_t> memory) {
  const std::lock_guard lock(mutex_);
  left_[memory.data()] = memory;
}

std::size_t IdleSlots::give_back() {
  std::vector<const std::uint8_t*> slots;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [slot, memory] : left_) {
      if (!memory.empty()) slots.push_back(slot);
    }
  }
  std::size_t bytes = 0;
  for (const std::uint8_t* const slot : slots) {
    // One at a time: guests of other slots start and end in between.
    const std::unique_lock nobody_moves(handing_over_);
    const std::lock_guard lock(mutex_);
    const auto found = left_.find(slot);
    if (found == left_.end()) continue;
    const std::span<std::uint8_t> room = std::exchange(found->second, {});
    if (room.empty() || madvise(room.data(), room.size(), MADV_DONTNEED) != 0) continue;
    bytes += room.size();
  }
  return bytes;
}

void IdleSlots::forget() {
  const std::unique_lock nobody_moves(handing_over_);
  const std::lock_guard lock(mutex_);
  left_.clear();
}

}  // namespace cordon::sandbox
