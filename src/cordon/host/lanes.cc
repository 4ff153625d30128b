#include "cordon/host/lanes.h"

#include <algorithm>
#include <mutex>

namespace cordon::host {

Lanes::Lanes(std::size_t workers) : owners_(workers) {
  const std::size_t count = std::max<std::size_t>(workers, 1);
  for (std::size_t i = 0; i < count; ++i) all_.push_back(std::make_unique<Lane>());
}

void Lanes::own(std::size_t number) {
  owners_[number].store(std::this_thread::get_id(), std::memory_order_relaxed);
}

Lane& Lanes::for_new() {
  if (all_.size() == 1) return *all_[0];
  const std::thread::id self = std::this_thread::get_id();
  for (std::size_t i = 0; i < owners_.size(); ++i)
    if (owners_[i].load(std::memory_order_relaxed) == self) return *all_[i];
  return *all_[next_.fetch_add(1, std::memory_order_relaxed) % all_.size()];
}

// The order is: own lane, other lanes, for the first queue; then the same for the second. Every
// so often the others come before the own lane. The lock is released before another lane is looked
// at, because no thread may hold two: two thieves would wait for each other.
std::optional<Lane::Taken> Lanes::take_next(Lane& home) {
  using Queue = Lane::Queue;
  std::unique_lock lock(home.mutex);
  const Queue first = home.first_queue();
  const Queue second = first == Queue::fresh ? Queue::spent : Queue::fresh;
  const bool is_alone = all_.size() == 1;
  const bool looks_around = !is_alone && home.is_to_look_around();
  if (!looks_around) {
    if (auto taken = home.take(first)) return taken;
  }
  if (is_alone) return home.take(second);
  lock.unlock();
  if (auto taken = steal(home, first)) return taken;
  lock.lock();
  if (looks_around) {
    if (auto taken = home.take(first)) return taken;
  }
  if (auto taken = home.take(second)) return taken;
  lock.unlock();
  return steal(home, second);
}

// Begins with the neighbour, so that thieves do not all come to the same lane.
std::optional<Lane::Taken> Lanes::steal(const Lane& home, Lane::Queue queue) {
  std::size_t at = 0;
  while (all_[at].get() != &home) ++at;
  for (std::size_t i = 1; i < all_.size(); ++i) {
    Lane& lane = *all_[(at + i) % all_.size()];
    if (!lane.may_have(queue)) continue;
    const std::lock_guard lock(lane.mutex);
    if (auto taken = lane.take(queue)) return taken;
  }
  return std::nullopt;
}

bool Lanes::has_ready() const {
  return std::ranges::any_of(all_, [](const std::unique_ptr<Lane>& lane) {
    const std::lock_guard lock(lane->mutex);
    return lane->has_ready();
  });
}

bool Lanes::nothing_lives() const {
  return std::ranges::all_of(all_, [](const std::unique_ptr<Lane>& lane) {
    const std::lock_guard lock(lane->mutex);
    return lane->living.empty();
  });
}

std::optional<Instant> Lanes::first_timer() const {
  std::optional<Instant> first;
  for (const std::unique_ptr<Lane>& lane : all_) {
    const std::lock_guard lock(lane->mutex);
    const std::optional<Instant> here = lane->first_timer();
    if (here && (!first || *here < *first)) first = here;
  }
  return first;
}

}  // namespace cordon::host
