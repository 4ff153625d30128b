#include "cordon/host/quota.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace cordon::host {
namespace {

TEST(Quota, GivesNoMoreThanItsLimit) {
  Quota quota(2);
  Quota::Token one = quota.try_take();
  const Quota::Token two = quota.try_take();
  EXPECT_TRUE(one);
  EXPECT_TRUE(two);
  EXPECT_TRUE(quota.is_full());
  EXPECT_FALSE(quota.try_take());
  one = {};
  EXPECT_EQ(quota.used(), 1u);
  EXPECT_TRUE(quota.try_take());
  EXPECT_EQ(quota.used(), 1u) << "the token is gone";
}

TEST(Quota, CountsATokenOnceHoweverItIsMoved) {
  Quota quota(10);
  Quota::Token first = quota.try_take(3);
  Quota::Token second = std::move(first);
  EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): that is the rule
  EXPECT_EQ(quota.used(), 3u);
  second = quota.try_take(5);
  EXPECT_EQ(quota.used(), 5u);
  Quota::Token& same = second;
  second = std::move(same);
  second = {};
  EXPECT_EQ(quota.used(), 0u);
}

TEST(Quota, CountsWhatIsThereAlreadyPastItsLimit) {
  Quota quota(10);
  const Quota::Token large = quota.take(25);
  EXPECT_TRUE(quota.is_full());
  EXPECT_EQ(quota.used(), 25u);
  EXPECT_FALSE(quota.try_take(1));
}

TEST(Quota, GivesNothingOfNothing) {
  Quota quota(0);
  EXPECT_TRUE(quota.is_full());
  EXPECT_FALSE(quota.try_take());
}

TEST(Quota, IsExactAmongThreads) {
  Quota quota(3);
  std::atomic<int> held = 0;
  std::atomic<bool> too_many = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 2'000; ++round) {
        const Quota::Token token = quota.try_take();
        if (!token) continue;
        if (++held > 3) too_many = true;
        --held;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(too_many);
  EXPECT_EQ(quota.used(), 0u);
}

}  // namespace
}  // namespace cordon::host
