#include "cordon/host/strip_places.h"

namespace cordon::host {

StripPlaces::Place& StripPlaces::Place::operator=(Place&& other) noexcept {
  if (this != &other && places_ != nullptr) places_->give_back();
  places_ = std::exchange(other.places_, nullptr);
  return *this;
}

StripPlaces::Place::~Place() {
  if (places_ != nullptr) places_->give_back();
}

StripPlaces::Waiting& StripPlaces::Waiting::operator=(Waiting&& other) noexcept {
  if (this != &other && places_ != nullptr) places_->leave(ticket_);
  places_ = std::exchange(other.places_, nullptr);
  ticket_ = other.ticket_;
  return *this;
}

StripPlaces::Waiting::~Waiting() {
  if (places_ != nullptr) places_->leave(ticket_);
}

std::variant<StripPlaces::Place, StripPlaces::Waiting> StripPlaces::ask(Offer offer) {
  const MutexLock lock(mutex_);
  if (free_ > 0) {
    --free_;
    return Place(*this);
  }
  waiting_.emplace(++last_ticket_, std::move(offer));
  return Waiting(*this, last_ticket_);
}

void StripPlaces::leave(std::uint64_t ticket) {
  Offer dropped;  // destroyed after the lock is released
  const MutexLock lock(mutex_);
  const auto found = waiting_.find(ticket);
  if (found == waiting_.end()) return;
  dropped = std::move(found->second);
  waiting_.erase(found);
}

// An execution that has ended does not take the place; the next one gets it then.
void StripPlaces::give_back() {
  Place place(*this);
  for (;;) {
    Offer offer;
    {
      const MutexLock lock(mutex_);
      if (waiting_.empty()) {
        place.places_ = nullptr;
        ++free_;
        return;
      }
      offer = std::move(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
    }
    if (offer(place)) return;
  }
}

}  // namespace cordon::host
