#include "cordon/providers/fair_places.h"

#include <algorithm>
#include <utility>

namespace cordon::providers {

// An owner is in turns_ exactly if something of it waits and it has less than its share. So each
// step looks at one owner, however many there are.

FairPlaces::Place& FairPlaces::Place::operator=(Place&& other) noexcept {
  if (this == &other) return *this;
  free();
  places_ = std::move(other.places_);
  owner_ = other.owner_;
  return *this;
}

void FairPlaces::Place::free() noexcept {
  const std::shared_ptr<FairPlaces> places = std::exchange(places_, nullptr);
  if (places == nullptr) return;
  try {
    places->give_back(owner_);
    // NOLINTNEXTLINE(bugprone-empty-catch): no memory is left; who waits ends in time.
  } catch (...) {
  }
}

void FairPlaces::ask(const void* owner, Start start) {
  {
    const MutexLock lock(mutex_);
    Owner& one = owners_[owner];
    one.waiting.push_back(std::move(start));
    if (!one.has_turn && one.running < std::max<std::size_t>(count_ / 2, 1)) {
      one.has_turn = true;
      turns_.push_back(owner);
    }
  }
  start_some();
}

void FairPlaces::give_back(const void* owner) {
  {
    const MutexLock lock(mutex_);
    --running_;
    const auto found = owners_.find(owner);
    Owner& one = found->second;
    --one.running;
    if (one.waiting.empty() && one.running == 0) {
      owners_.erase(found);
    } else if (!one.waiting.empty() && !one.has_turn) {
      one.has_turn = true;
      turns_.push_back(owner);
    }
  }
  start_some();
}

FairPlaces::Start FairPlaces::take_next(const void** owner) {
  if (turns_.empty() || running_ >= count_) return {};
  *owner = turns_.front();
  turns_.pop_front();
  Owner& one = owners_[*owner];
  Start start = std::move(one.waiting.front());
  one.waiting.pop_front();
  ++one.running;
  ++running_;
  one.has_turn = !one.waiting.empty() && one.running < std::max<std::size_t>(count_ / 2, 1);
  if (one.has_turn) turns_.push_back(*owner);
  return start;
}

// A call that is over while it is being started frees its place here. One loop starts what follows,
// so that a long queue is no deep stack.
void FairPlaces::start_some() {
  const auto keep = shared_from_this();
  MutexLock lock(mutex_);
  if (is_starting_) return;
  is_starting_ = true;
  const void* owner = nullptr;
  while (Start start = take_next(&owner)) {
    lock.unlock();
    start(Place(keep, owner));
    start = {};
    lock.lock();
  }
  is_starting_ = false;
}

}  // namespace cordon::providers
