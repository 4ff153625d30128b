// Expect: requires holding mutex
// Only: clang
// Flags: -Wthread-safety
// g++ has no such check.

#include "cordon/base/thread_annotations.h"

class Counter {
 public:
  int count() const { return count_; }

 private:
  mutable cordon::Mutex mutex_;
  int count_ CORDON_GUARDED_BY(mutex_) = 0;
};
