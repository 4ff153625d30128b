#include "cordon/server/idle_memory.h"

#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "cordon/base/sanitized.h"
#include "cordon/base/testing/heap_burst.h"

namespace cordon::server {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr Instant start{};

TEST(BurstWatch, WaitsUntilABurstIsOverForAWhile) {
  BurstWatch watch(10 * mib);
  EXPECT_FALSE(watch.is_due(5000, 200 * mib, start));
  EXPECT_FALSE(watch.is_due(5000, 200 * mib, start + 1h)) << "it is there still";
  EXPECT_FALSE(watch.is_due(10, 200 * mib, start + 1h + 1s));
  EXPECT_FALSE(watch.is_due(10, 200 * mib, start + 1h + 2s));
  EXPECT_TRUE(watch.is_due(10, 200 * mib, start + 1h + 4s));
}

TEST(BurstWatch, BeginsAnewWithTheNextWave) {
  BurstWatch watch(10 * mib);
  EXPECT_FALSE(watch.is_due(1000, 200 * mib, start));
  EXPECT_FALSE(watch.is_due(0, 200 * mib, start + 1s));
  EXPECT_FALSE(watch.is_due(900, 200 * mib, start + 2s));
  EXPECT_FALSE(watch.is_due(0, 200 * mib, start + 3s));
  EXPECT_FALSE(watch.is_due(0, 200 * mib, start + 4s));
  EXPECT_TRUE(watch.is_due(0, 200 * mib, start + 5s));
}

TEST(BurstWatch, LeavesAProcessAloneThatHasNotGrown) {
  BurstWatch watch(100 * mib);
  EXPECT_FALSE(watch.is_due(1000, 110 * mib, start));
  EXPECT_FALSE(watch.is_due(0, 110 * mib, start + 1s));
  EXPECT_FALSE(watch.is_due(0, 110 * mib, start + 1h));
}

TEST(BurstWatch, DoesNotTryAgainWhatDidNotHelp) {
  BurstWatch watch(10 * mib);
  EXPECT_FALSE(watch.is_due(1000, 200 * mib, start));
  EXPECT_FALSE(watch.is_due(0, 200 * mib, start + 1s));
  ASSERT_TRUE(watch.is_due(0, 200 * mib, start + 5s));
  watch.given_back(0, 190 * mib);
  EXPECT_FALSE(watch.is_due(0, 190 * mib, start + 6s));
  EXPECT_FALSE(watch.is_due(0, 190 * mib, start + 1h));
  // A single request may be a large one.
  EXPECT_FALSE(watch.is_due(0, 250 * mib, start + 2h));
  EXPECT_TRUE(watch.is_due(0, 250 * mib, start + 3h));
}

TEST(IdleMemory, GivesBackWhatABurstLeft) {
  std::atomic<std::size_t> load = 1000;
  std::atomic<int> looks = 0;
  std::atomic<int> times = 0;
  const auto look = [&] {
    ++looks;
    return load.load();
  };
  const IdleMemory idle(look, [&] { ++times; });
  testing::HeapBurst burst;
  while (looks == 0) std::this_thread::sleep_for(50ms);  // it has seen the burst
  EXPECT_EQ(times, 0);
  burst.free_most();
  load = 0;
  for (int i = 0; i < 600 && times == 0; ++i) std::this_thread::sleep_for(50ms);
  EXPECT_EQ(times, 1);
  const auto is_given_back = [&] { return burst.is_given_back() || is_sanitized; };
  for (int i = 0; i < 100 && !is_given_back(); ++i) std::this_thread::sleep_for(50ms);
  EXPECT_TRUE(is_given_back());
}

}  // namespace
}  // namespace cordon::server
