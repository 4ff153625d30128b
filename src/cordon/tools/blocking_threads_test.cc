#include "cordon/tools/blocking_threads.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <semaphore>
#include <thread>

#include <gtest/gtest.h>

namespace cordon::tools {
namespace {

using namespace std::chrono_literals;

bool becomes(const std::atomic<int>& number, int expected) {
  for (int i = 0; i < 10'000 && number != expected; ++i) std::this_thread::sleep_for(1ms);
  return number == expected;
}

TEST(BlockingThreads, RunAllThatTheyAreGiven) {
  std::atomic<int> done = 0;
  BlockingThreads threads(3);
  for (int i = 0; i < 100; ++i) threads.run([&] { ++done; });
  EXPECT_TRUE(becomes(done, 100));
}

TEST(BlockingThreads, RunAtOnceUpToTheirNumberAndNoMore) {
  constexpr int most = 4;
  std::atomic<int> running = 0;
  std::atomic<int> peak = 0;
  std::atomic<int> done = 0;
  std::counting_semaphore<100> go(0);
  BlockingThreads threads(most);
  for (int i = 0; i < 12; ++i) {
    threads.run([&] {
      peak = std::max<int>(peak, ++running);
      go.acquire();
      --running;
      ++done;
    });
  }
  EXPECT_TRUE(becomes(running, most)) << "all of them at once";
  go.release(12);
  EXPECT_TRUE(becomes(done, 12));
  EXPECT_EQ(peak, most);
}

TEST(BlockingThreads, UseAnIdleThreadAgain) {
  std::mutex mutex;
  std::vector<std::thread::id> seen;
  std::atomic<int> done = 0;
  BlockingThreads threads(50);
  for (int i = 0; i < 20; ++i) {
    threads.run([&] {
      {
        const std::lock_guard lock(mutex);
        seen.push_back(std::this_thread::get_id());
      }
      ++done;
    });
    ASSERT_TRUE(becomes(done, i + 1));
    std::this_thread::sleep_for(2ms);  // it goes back to wait for work
  }
  std::ranges::sort(seen);
  const auto different = std::unique(seen.begin(), seen.end()) - seen.begin();
  EXPECT_LT(different, 10) << "one thread would do";
}

TEST(BlockingThreads, WaitForWhatRunsAndDropWhatIsQueued) {
  std::atomic<int> done = 0;
  auto resource = std::make_shared<int>(0);
  const std::weak_ptr<int> queued = resource;
  {
    std::latch started(1);
    BlockingThreads threads(1);
    threads.run([&] {
      started.count_down();
      std::this_thread::sleep_for(20ms);
      ++done;
    });
    threads.run([&, resource = std::move(resource)] { done += 100; });
    started.wait();
  }
  EXPECT_EQ(done, 1);
  EXPECT_TRUE(queued.expired()) << "what a dropped piece of work held is let go";
}

TEST(BlockingThreads, MayBeDestroyedByTheWorkTheyRun) {
  std::atomic<int> done = 0;
  auto threads = std::make_shared<BlockingThreads>(2);
  std::latch released(1);
  threads->run([&done, &released, threads] {
    released.wait();  // from here on this work is their only owner
    ++done;
  });
  threads.reset();
  released.count_down();
  EXPECT_TRUE(becomes(done, 1));
}

}  // namespace
}  // namespace cordon::tools
