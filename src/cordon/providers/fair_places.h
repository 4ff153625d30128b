#pragma once

// A number of places for calls that run at once, and the calls that wait for one. Their owners take
// turns: one that makes ten thousand calls delays another's first call by one, and never has more
// than a half of the places.

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <unordered_map>

#include "cordon/base/thread_annotations.h"

namespace cordon::providers {

// Any thread may use it. What it starts runs on the thread that frees a place or asks for one.
class FairPlaces : public std::enable_shared_from_this<FairPlaces> {
 public:
  explicit FairPlaces(std::size_t count) : count_(count) {}

  // Frees its place when it is destroyed.
  class Place {
   public:
    Place() = default;
    Place(std::shared_ptr<FairPlaces> places, const void* owner)
        : places_(std::move(places)), owner_(owner) {}
    Place(Place&& other) noexcept = default;
    Place& operator=(Place&& other) noexcept;
    ~Place() { free(); }
    void free() noexcept;

   private:
    std::shared_ptr<FairPlaces> places_;
    const void* owner_ = nullptr;
  };

  // `start` is called once, now or later. It must not wait. What waits is not forgotten: a call
  // that is over by then frees its place at once.
  using Start = std::move_only_function<void(Place place)>;
  void ask(const void* owner, Start start);

 private:
  struct Owner {
    std::size_t running = 0;
    std::deque<Start> waiting;
    bool has_turn = false;  // it is in turns_
  };
  void start_some();
  void give_back(const void* owner);
  // The next to start, whose place is taken then. Empty: nobody can.
  Start take_next(const void** owner) CORDON_REQUIRES(mutex_);

  const std::size_t count_;
  Mutex mutex_;
  std::size_t running_ CORDON_GUARDED_BY(mutex_) = 0;
  std::unordered_map<const void*, Owner> owners_ CORDON_GUARDED_BY(mutex_);
  std::deque<const void*> turns_ CORDON_GUARDED_BY(mutex_);  // those who may start one
  bool is_starting_ CORDON_GUARDED_BY(mutex_) = false;
};

}  // namespace cordon::providers
