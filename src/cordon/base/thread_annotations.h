#pragma once

// Which lock guards what, in words that clang checks (-Wthread-safety). Other compilers skip them.
// A member says it: `int count_ CORDON_GUARDED_BY(mutex_) = 0;`. Only code that holds a
// `const MutexLock lock(mutex_);` may use it then. A function that expects its caller to hold the
// lock ends in CORDON_REQUIRES(mutex_).
//
// The standard library's mutex has no annotations here, so Mutex, MutexLock and Condition stand for
// it, its lock and its condition variable. A lambda is a function of its own to clang: it does not
// inherit the lock, so a Condition is waited for in a loop.

#include <condition_variable>
#include <mutex>

#include "cordon/base/instant.h"

#if defined(__clang__)
#define CORDON_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define CORDON_THREAD_ANNOTATION(x)
#endif

// For a member: use it only under this lock. The second form is for what a pointer points to.
#define CORDON_GUARDED_BY(x) CORDON_THREAD_ANNOTATION(guarded_by(x))
#define CORDON_PT_GUARDED_BY(x) CORDON_THREAD_ANNOTATION(pt_guarded_by(x))
// For a function: its caller must hold these locks, or must hold none of them.
#define CORDON_REQUIRES(...) CORDON_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define CORDON_EXCLUDES(...) CORDON_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))
// For Mutex and MutexLock.
#define CORDON_CAPABILITY(x) CORDON_THREAD_ANNOTATION(capability(x))
#define CORDON_SCOPED_CAPABILITY CORDON_THREAD_ANNOTATION(scoped_lockable)
#define CORDON_ACQUIRE(...) CORDON_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define CORDON_RELEASE(...) CORDON_THREAD_ANNOTATION(release_capability(__VA_ARGS__))

namespace cordon {

class CORDON_CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() CORDON_ACQUIRE() { mutex_.lock(); }
  void unlock() CORDON_RELEASE() { mutex_.unlock(); }

 private:
  friend class MutexLock;
  std::mutex mutex_;
};

// Holds a Mutex as long as it lives, but for what is between unlock() and lock().
class CORDON_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) CORDON_ACQUIRE(mutex) : lock_(mutex.mutex_) {}
  ~MutexLock() CORDON_RELEASE() = default;
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void lock() CORDON_ACQUIRE() { lock_.lock(); }
  void unlock() CORDON_RELEASE() { lock_.unlock(); }

 private:
  friend class Condition;
  std::unique_lock<std::mutex> lock_;
};

class Condition {
 public:
  // May return without a reason, as all condition variables do.
  void wait(MutexLock& lock) { condition_.wait(lock.lock_); }
  // False: it is that late.
  bool wait_until(MutexLock& lock, Instant until) {
    return condition_.wait_until(lock.lock_, until) == std::cv_status::no_timeout;
  }
  void notify_one() { condition_.notify_one(); }
  void notify_all() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace cordon
