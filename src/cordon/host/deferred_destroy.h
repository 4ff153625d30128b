#pragma once

// A destructor that takes long, put off until nobody waits. It holds one thing at most; what was
// held before goes at once. Any thread.

#include <atomic>
#include <memory>
#include <utility>

#include "cordon/base/thread_annotations.h"

namespace cordon::host {

template <class T>
class DeferredDestroy {
 public:
  void destroy_later(std::unique_ptr<T> thing) {
    // What was held goes with the parameter, when the lock is released.
    const MutexLock lock(mutex_);
    std::swap(held_, thing);
    is_pending_ = held_ != nullptr;
  }
  void destroy_now() {
    if (!is_pending()) return;
    std::unique_ptr<T> thing;  // goes after the lock
    const MutexLock lock(mutex_);
    std::swap(held_, thing);
    is_pending_ = false;
  }
  bool is_pending() const { return is_pending_.load(std::memory_order_relaxed); }

 private:
  Mutex mutex_;
  std::unique_ptr<T> held_ CORDON_GUARDED_BY(mutex_);
  std::atomic<bool> is_pending_ = false;
};

}  // namespace cordon::host
