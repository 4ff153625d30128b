#include "cordon/base/thread_annotations.h"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

namespace cordon {
namespace {

class Counter {
 public:
  void add() {
    {
      const MutexLock lock(mutex_);
      ++count_;
    }
    changed_.notify_all();
  }
  // False: it is that late, and there are fewer.
  bool wait_for(int count, Instant until) {
    MutexLock lock(mutex_);
    while (count_ < count) {
      if (!changed_.wait_until(lock, until)) return false;
    }
    return true;
  }
  void add_after(const MutexLock& held) CORDON_REQUIRES(mutex_) {
    static_cast<void>(held);
    ++count_;
  }
  int twice() {
    MutexLock lock(mutex_);
    add_after(lock);
    lock.unlock();
    add();
    lock.lock();
    return count_;
  }

 private:
  Mutex mutex_;
  Condition changed_;
  int count_ CORDON_GUARDED_BY(mutex_) = 0;
};

Instant now() { return std::chrono::steady_clock::now(); }

TEST(MutexLock, GuardsWhatSeveralThreadsChange) {
  Counter counter;
  {
    const auto add = [&] {
      for (int i = 0; i < 1000; ++i) counter.add();
    };
    const std::jthread one(add);
    const std::jthread other(add);
  }
  EXPECT_TRUE(counter.wait_for(2000, now()));
  EXPECT_FALSE(counter.wait_for(2001, now()));
}

TEST(MutexLock, MayBeOpenedInBetween) { EXPECT_EQ(Counter().twice(), 2); }

TEST(Condition, WakesWhoeverWaitsForIt) {
  Counter counter;
  const std::jthread other([&] { counter.add(); });
  EXPECT_TRUE(counter.wait_for(1, now() + std::chrono::minutes(1)));
}

}  // namespace
}  // namespace cordon
