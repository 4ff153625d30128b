#include "cordon/base/budget.h"

#include <algorithm>

namespace cordon {

bool Budget::take(std::size_t bytes) noexcept {
  std::size_t before = used_.load(std::memory_order_relaxed);
  do {
    if (bytes > limits_.bytes - before) return false;
  } while (!used_.compare_exchange_weak(before, before + bytes, std::memory_order_relaxed));
  if (whole_ != nullptr && !whole_->take(bytes)) {
    used_.fetch_sub(bytes, std::memory_order_relaxed);
    was_refused_by_whole_.store(true, std::memory_order_relaxed);
    return false;
  }
  std::size_t peak = peak_.load(std::memory_order_relaxed);
  while (peak < before + bytes &&
         !peak_.compare_exchange_weak(peak, before + bytes, std::memory_order_relaxed)) {
  }
  return true;
}

void Budget::give_back(std::size_t bytes) noexcept {
  used_.fetch_sub(bytes, std::memory_order_relaxed);
  if (whole_ != nullptr) whole_->give_back(bytes);
}

std::size_t Budget::left() const noexcept { return limits_.bytes - used(); }

void Budget::spend(Duration time) noexcept {
  if (time > Duration::zero()) spent_.fetch_add(time.count(), std::memory_order_relaxed);
}

Duration Budget::time_left() const noexcept {
  const Duration spent(spent_.load(std::memory_order_relaxed));
  return spent < limits_.time ? limits_.time - spent : Duration::zero();
}

std::shared_ptr<Budget> Budget::for_message(std::size_t bytes) {
  // An empty map in MessagePack is one byte and costs most: 40.
  constexpr std::size_t worst_bytes_per_byte = 128;
  if (bytes <= min_message_bytes / worst_bytes_per_byte) return nullptr;
  const std::size_t scaled = bytes > std::numeric_limits<std::size_t>::max() / max_bytes_per_byte
                                 ? std::numeric_limits<std::size_t>::max()
                                 : bytes * max_bytes_per_byte;
  return std::make_shared<Budget>(Limits{.bytes = std::max(scaled, min_message_bytes)});
}

}  // namespace cordon
