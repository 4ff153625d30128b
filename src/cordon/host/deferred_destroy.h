#pragma once

// Puts a slow destructor off until no caller waits. It holds one object at most; the one that it
// held before is destroyed at once. Any thread may use it.

#include <atomic>
#include <memory>
#include <utility>

#include "cordon/base/thread_annotations.h"

namespace cordon::host {

template <class T>
class DeferredDestroy {
 public:
  void destroy_later(std::unique_ptr<T> thing) {
    // The old object is destroyed with the parameter, after the lock is released.
    const MutexLock lock(mutex_);
    std::swap(held_, thing);
    is_pending_ = held_ != nullptr;
  }
  void destroy_now() {
    if (!is_pending()) return;
    std::unique_ptr<T> thing;  // destroyed after the lock is released
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
