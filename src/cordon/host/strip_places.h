#pragma once

// Limits how many texts of one engine have their types stripped at once. Each takes a sandbox of
// its own, with as much memory as its execution has left. Other executions wait for a place, but no
// thread waits. Any thread may use it.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <variant>

#include "cordon/base/thread_annotations.h"

namespace cordon::host {

class StripPlaces {
 public:
  explicit StripPlaces(std::size_t places) : free_(places) {}
  StripPlaces(const StripPlaces&) = delete;
  StripPlaces& operator=(const StripPlaces&) = delete;

  // A place that is taken. When it is destroyed, the next in the queue gets it.
  class Place {
   public:
    Place(Place&& other) noexcept : places_(std::exchange(other.places_, nullptr)) {}
    Place& operator=(Place&& other) noexcept;
    ~Place();

   private:
    friend StripPlaces;
    explicit Place(StripPlaces& places) : places_(&places) {}
    StripPlaces* places_;
  };

  // A turn in the queue. Destroying it leaves the queue.
  class Waiting {
   public:
    Waiting(Waiting&& other) noexcept
        : places_(std::exchange(other.places_, nullptr)), ticket_(other.ticket_) {}
    Waiting& operator=(Waiting&& other) noexcept;
    ~Waiting();

   private:
    friend StripPlaces;
    Waiting(StripPlaces& places, std::uint64_t ticket) : places_(&places), ticket_(ticket) {}
    StripPlaces* places_;
    std::uint64_t ticket_;
  };

  // Takes the place, or returns false if it is not wanted any more. The thread that gives the place
  // back calls it, without a lock of this class.
  using Offer = std::function<bool(Place&)>;
  // A place if one is free; otherwise a turn in the queue, until `offer` is called.
  std::variant<Place, Waiting> ask(Offer offer);

 private:
  void give_back();
  void leave(std::uint64_t ticket);

  Mutex mutex_;
  std::size_t free_ CORDON_GUARDED_BY(mutex_);
  // By ticket: the first comes first.
  std::map<std::uint64_t, Offer> waiting_ CORDON_GUARDED_BY(mutex_);
  std::uint64_t last_ticket_ CORDON_GUARDED_BY(mutex_) = 0;
};

}  // namespace cordon::host
