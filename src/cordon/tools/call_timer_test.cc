#include "cordon/tools/call_timer.h"

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace cordon::tools {
namespace {

using std::chrono::milliseconds;

Instant in(milliseconds time) { return std::chrono::steady_clock::now() + time; }

TEST(CallTimer, CallsInTheOrderOfTheTimes) {
  std::vector<int> order;
  std::promise<void> done;
  CallTimer timer;
  const Instant base = in(milliseconds(20));
  timer.call_at(base + milliseconds(2), [&] { done.set_value(); });
  timer.call_at(base, [&] { order.push_back(1); });
  timer.call_at(base + milliseconds(1), [&] { order.push_back(2); });
  done.get_future().wait();
  EXPECT_EQ(order, (std::vector{1, 2}));
  EXPECT_GE(std::chrono::steady_clock::now(), base);
}

TEST(CallTimer, DoesNotCallWhatIsDropped) {
  std::atomic<int> calls = 0;
  std::promise<void> done;
  CallTimer timer;
  const auto key = timer.call_at(in(milliseconds(10)), [&] { ++calls; });
  timer.call_at(in(milliseconds(20)), [&] { done.set_value(); });
  timer.drop(key);
  done.get_future().wait();
  EXPECT_EQ(calls, 0);
}

TEST(CallTimer, DropsAllAtItsEnd) {
  auto held = std::make_shared<int>(1);
  {
    CallTimer timer;
    timer.call_at(in(std::chrono::hours(1)), [held] {});
    EXPECT_EQ(held.use_count(), 2);
  }
  EXPECT_EQ(held.use_count(), 1);
}

TEST(CallTimer, MayEndInItsOwnThread) {
  std::promise<void> done;
  auto timer = std::make_shared<CallTimer>();
  CallTimer& borrowed = *timer;
  borrowed.call_at(in(milliseconds(5)), [timer = std::move(timer), &done]() mutable {
    timer.reset();
    done.set_value();
  });
  done.get_future().wait();
}

}  // namespace
}  // namespace cordon::tools
