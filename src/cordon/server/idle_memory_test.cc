#include "cordon/server/idle_memory.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "cordon/base/process_figures.h"

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
  constexpr std::size_t count = 20'000;
  constexpr std::size_t bytes = 4096;
  std::vector<std::unique_ptr<char[]>> blocks;
  for (std::size_t i = 0; i < count; ++i) {
    blocks.push_back(std::make_unique<char[]>(bytes));
    std::memset(blocks.back().get(), 1, bytes);
  }
  const std::size_t full = resident_bytes();
  while (looks == 0) std::this_thread::sleep_for(50ms);  // it has seen the burst
  EXPECT_EQ(times, 0);
  // Those that stay keep the heap from shrinking by itself.
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 64 != 63) blocks[i].reset();
  }
  load = 0;
  for (int i = 0; i < 600 && times == 0; ++i) std::this_thread::sleep_for(50ms);
  EXPECT_EQ(times, 1);
  for (int i = 0; i < 100 && resident_bytes() + count * bytes / 2 > full; ++i)
    std::this_thread::sleep_for(50ms);
  EXPECT_LT(resident_bytes() + count * bytes / 2, full);
}

}  // namespace
}  // namespace cordon::server
