#pragma once

// Which executions of an Executor run, and which wait for their turn. Any thread may use it.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "cordon/base/thread_annotations.h"

namespace cordon::runners {

enum class Turn : std::uint8_t { now, later, refused };

template <class Waiter>
class Turns {
 public:
  Turns(std::size_t max_running, std::size_t max_waiting)
      : max_running_(max_running), max_waiting_(max_waiting) {}

  // Whose turn it is now holds a place, and calls pass_on() at its end.
  Turn take(const std::shared_ptr<Waiter>& waiter) {
    const MutexLock lock(mutex_);
    if (running_ < max_running_) {
      ++running_;
      return Turn::now;
    }
    if (waiting_.size() >= max_waiting_) return Turn::refused;
    waiting_.emplace(++last_, waiter);
    places_.emplace(waiter.get(), last_);
    return Turn::later;
  }
  // Gives a place to the first that waits, or back.
  std::shared_ptr<Waiter> pass_on() {
    const MutexLock lock(mutex_);
    if (waiting_.empty()) {
      --running_;
      return nullptr;
    }
    std::shared_ptr<Waiter> next = std::move(waiting_.begin()->second);
    waiting_.erase(waiting_.begin());
    places_.erase(next.get());
    return next;
  }
  // Waits no longer. False: it does not wait.
  bool leave(const Waiter& waiter) {
    std::shared_ptr<Waiter> left;  // destroyed outside of the lock
    const MutexLock lock(mutex_);
    const auto found = places_.find(&waiter);
    if (found == places_.end()) return false;
    const auto place = waiting_.find(found->second);
    left = std::move(place->second);
    waiting_.erase(place);
    places_.erase(found);
    return true;
  }
  std::vector<std::shared_ptr<Waiter>> waiting_ones() const {
    std::vector<std::shared_ptr<Waiter>> all;
    const MutexLock lock(mutex_);
    for (const auto& [number, waiter] : waiting_) all.push_back(waiter);
    return all;
  }

  std::size_t running() const {
    const MutexLock lock(mutex_);
    return running_;
  }
  std::size_t waiting() const {
    const MutexLock lock(mutex_);
    return waiting_.size();
  }

 private:
  const std::size_t max_running_;
  const std::size_t max_waiting_;
  mutable Mutex mutex_;
  std::size_t running_ CORDON_GUARDED_BY(mutex_) = 0;
  std::uint64_t last_ CORDON_GUARDED_BY(mutex_) = 0;
  std::map<std::uint64_t, std::shared_ptr<Waiter>> waiting_ CORDON_GUARDED_BY(mutex_);
  std::map<const Waiter*, std::uint64_t> places_ CORDON_GUARDED_BY(mutex_);
};

}  // namespace cordon::runners
