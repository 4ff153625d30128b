#include "cordon/host/idle_threads.h"

#include <deque>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace cordon::host {
namespace {

using namespace std::chrono_literals;

TEST(IdleThreads, AreWokenByWhatCameSinceTheyPrepared) {
  IdleThreads idle;
  const auto ticket = idle.prepare();
  idle.wake_one();
  idle.wait(ticket, std::nullopt);
}

TEST(IdleThreads, WaitNoLongerThanTheyAsked) {
  IdleThreads idle;
  const auto ticket = idle.prepare();
  idle.wait(ticket, std::chrono::steady_clock::now() + 1ms);
}

TEST(IdleThreads, ForgetWhatCameBeforeTheyPrepared) {
  IdleThreads idle;
  idle.wake_all();
  const auto ticket = idle.prepare();
  const Instant until = std::chrono::steady_clock::now() + 5ms;
  idle.wait(ticket, until);
  EXPECT_GE(std::chrono::steady_clock::now(), until);
}

TEST(IdleThreads, MissNoWork) {
  constexpr int jobs = 20'000;
  IdleThreads idle;
  std::mutex mutex;
  std::deque<int> queue;
  std::atomic<int> done = 0;
  const auto work = [&] {
    while (done < jobs) {
      const auto ticket = idle.prepare();
      bool found = false;
      {
        const std::lock_guard lock(mutex);
        if (!queue.empty()) {
          queue.pop_front();
          found = true;
        }
      }
      if (!found && done < jobs) {
        idle.wait(ticket, std::nullopt);
        continue;
      }
      idle.cancel();
      if (found && ++done == jobs) idle.wake_all();
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(work);
  for (int i = 0; i < jobs; ++i) {
    {
      const std::lock_guard lock(mutex);
      queue.push_back(i);
    }
    idle.wake_one();
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(done, jobs);
}

}  // namespace
}  // namespace cordon::host
