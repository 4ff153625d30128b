#include "cordon/host/ticker.h"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "cordon/js/guest_module.h"

namespace cordon::host {
namespace {

using namespace std::chrono_literals;

struct Clock {
  std::unique_ptr<js::GuestModule> module = *js::GuestModule::create({.slots = 0});
  Ticker ticker{module->engine()};
};

TEST(Ticker, TicksAsLongAsAGuestRuns) {
  Clock clock;
  const Ticker::Running running(clock.ticker);
  while (clock.ticker.wakes() < 20) std::this_thread::yield();
}

TEST(Ticker, TicksForAGuestThatComesWhileAnotherLeaves) {
  Clock clock;
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(1ms);  // so that the first one stops the timer
    auto first = std::make_unique<Ticker::Running>(clock.ticker);
    std::thread leaves([&] { first.reset(); });
    const Ticker::Running second(clock.ticker);
    leaves.join();
    const std::uint64_t before = clock.ticker.wakes();
    while (clock.ticker.wakes() == before) std::this_thread::yield();
  }
}

TEST(Ticker, DoesNotWakeForShortTurnsWithPauses) {
  Clock clock;
  for (int i = 0; i < 100; ++i) {
    {
      const Ticker::Running running(clock.ticker);
    }
    std::this_thread::sleep_for(1ms);
  }
  // None, unless this thread was held up for a millisecond in the middle of a turn.
  EXPECT_LT(clock.ticker.wakes(), 50u);
}

TEST(Ticker, ComesToRestAfterTurnsThatFollowEachOther) {
  Clock clock;
  for (int i = 0; i < 10'000; ++i) const Ticker::Running running(clock.ticker);
  std::uint64_t before = 0;
  do {
    before = clock.ticker.wakes();
    std::this_thread::sleep_for(50ms);
  } while (clock.ticker.wakes() != before);
}

}  // namespace
}  // namespace cordon::host
