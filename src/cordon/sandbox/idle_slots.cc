#include "cordon/sandbox/idle_slots.h"

#include <sys/mman.h>
#include <utility>

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
  const std::unique_lock nobody_moves(handing_over_);
  const std::lock_guard lock(mutex_);
  std::size_t bytes = 0;
  for (auto& [slot, memory] : left_) {
    const std::span<std::uint8_t> room = std::exchange(memory, {});
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
