#include "cordon/host/clocks.h"

#include <gtest/gtest.h>

namespace cordon::host {
namespace {

using namespace std::chrono_literals;
using Waits = Clocks::Waits;

constexpr Instant start{};

Limits limits(std::optional<std::chrono::milliseconds> timeout,
              std::optional<std::chrono::milliseconds> own = {},
              std::optional<std::chrono::milliseconds> cpu = {}) {
  return {.time = {.total = timeout, .computing = own, .cpu = cpu}};
}

TEST(Clocks, EndASliceWhereTheFirstLimitIs) {
  EXPECT_EQ(Clocks(limits({}), start).slice_end(start, 5ms), start + 5ms);
  EXPECT_EQ(Clocks(limits(3ms), start).slice_end(start, 5ms), start + 3ms);
  EXPECT_EQ(Clocks(limits(3ms, 2ms), start).slice_end(start, 5ms), start + 2ms);
  Clocks clocks(limits(30ms, 20ms, 10ms), start);
  clocks.add_computing(18ms, 9ms);
  EXPECT_EQ(clocks.slice_end(start + 18ms, 5ms), start + 19ms);
}

TEST(Clocks, MeetTheDeadlineAtItsInstant) {
  const Clocks clocks(limits(10ms), start);
  EXPECT_FALSE(clocks.is_past_limit(start + 9ms));
  EXPECT_TRUE(clocks.is_past_limit(start + 10ms));
  EXPECT_TRUE(clocks.is_late(start + 10ms));
  EXPECT_EQ(clocks.next_timer(), start + 10ms);
}

TEST(Clocks, HaveNoLimitWhereNoneIsGiven) {
  Clocks clocks(limits({}), start);
  clocks.add_computing(1h, 1h);
  EXPECT_FALSE(clocks.is_past_limit(start + 24h));
  EXPECT_FALSE(clocks.measures_cpu());
  EXPECT_EQ(clocks.next_timer(), std::nullopt);
}

TEST(Clocks, CountComputingAsOwnAndProcessorTime) {
  Clocks own(limits({}, 10ms), start);
  own.add_computing(10ms, 1ms);
  EXPECT_TRUE(own.is_past_limit(start));
  EXPECT_EQ(own.computing_time(), 10ms);
  Clocks cpu(limits({}, {}, 10ms), start);
  EXPECT_TRUE(cpu.measures_cpu());
  cpu.add_computing(1h, 9ms);
  EXPECT_FALSE(cpu.is_past_limit(start));
  cpu.add_computing(1h, 1ms);
  EXPECT_TRUE(cpu.is_past_limit(start));
}

TEST(Clocks, CountAWaitForItselfAndNoneForOthers) {
  Clocks clocks(limits({}, 100ms), start);
  clocks.begin_wait(start, Waits::for_others);
  clocks.end_wait(start + 50ms);
  EXPECT_EQ(clocks.computing_time(), 0ms);
  clocks.begin_wait(start + 50ms, Waits::for_itself);
  EXPECT_EQ(clocks.next_timer(), start + 150ms);
  clocks.end_wait(start + 80ms);
  EXPECT_EQ(clocks.computing_time(), 30ms);
  clocks.end_wait(start + 90ms);
  EXPECT_EQ(clocks.computing_time(), 30ms) << "it no longer waits";
}

TEST(Clocks, CountAWaitNoLongerThanToItsTimer) {
  Clocks clocks(limits({}, 100ms), start);
  clocks.set_timer(start + 20ms);
  clocks.begin_wait(start, Waits::for_itself);
  EXPECT_EQ(clocks.next_timer(), start + 20ms);
  clocks.end_wait(start + 60ms);
  EXPECT_EQ(clocks.computing_time(), 20ms);
}

TEST(Clocks, NeverCountAWaitBelowNothing) {
  Clocks clocks(limits({}, 100ms), start);
  clocks.set_timer(start + 5ms);
  clocks.begin_wait(start + 10ms, Waits::for_itself);
  clocks.end_wait(start + 20ms);
  EXPECT_EQ(clocks.computing_time(), 0ms);
}

TEST(Clocks, FindATimerDueAtItsInstant) {
  Clocks clocks(limits({}), start);
  EXPECT_FALSE(clocks.has_timer());
  EXPECT_FALSE(clocks.timer_is_due(start));
  clocks.set_timer(start + 1ms);
  EXPECT_FALSE(clocks.timer_is_due(start));
  EXPECT_TRUE(clocks.timer_is_due(start + 1ms));
  clocks.set_timer({});
  EXPECT_FALSE(clocks.timer_is_due(start + 1ms));
}

TEST(Clocks, LimitEachStretchOfAModuleWhoseFunctionsAreCalled) {
  Clocks clocks(limits(10ms), start);
  clocks.measure_calls();
  clocks.drop_deadline();
  EXPECT_FALSE(clocks.is_past_limit(start + 1h));
  clocks.add_computing(9ms, 0ms);
  clocks.rest();
  clocks.add_computing(9ms, 0ms);
  EXPECT_FALSE(clocks.is_past_limit(start + 1h));
  clocks.add_computing(1ms, 0ms);
  EXPECT_TRUE(clocks.is_past_limit(start + 1h));
}

TEST(Clocks, DoNotCountWaitsOfAModuleWhoseFunctionsAreCalled) {
  Clocks clocks(limits({}, 10ms), start);
  clocks.measure_calls();
  clocks.begin_wait(start, Waits::for_itself);
  clocks.end_wait(start + 1h);
  EXPECT_EQ(clocks.computing_time(), 0ms);
}

TEST(Clocks, LeaveAMomentAfterAnAbort) {
  Clocks clocks(limits({}, {}), start);
  clocks.add_computing(70ms, 0ms);
  clocks.begin_abort(start + 100ms);
  EXPECT_EQ(clocks.deadline(), start + 1100ms);
  clocks.add_computing(49ms, 0ms);
  EXPECT_FALSE(clocks.is_past_limit(start + 200ms));
  clocks.add_computing(1ms, 0ms);
  EXPECT_TRUE(clocks.is_past_limit(start + 200ms));
}

TEST(Clocks, GiveNoMoreTimeByAnAbortThanThereWas) {
  Clocks clocks(limits(200ms, 80ms), start);
  clocks.begin_wait(start, Waits::for_itself);
  clocks.begin_abort(start + 60ms);
  EXPECT_EQ(clocks.deadline(), start + 200ms);
  EXPECT_EQ(clocks.computing_time(), 60ms);
  clocks.add_computing(20ms, 0ms);
  EXPECT_TRUE(clocks.is_past_limit(start + 90ms));
}

TEST(Clocks, CountNoWaitAfterAnAbort) {
  Clocks clocks(limits({}, 80ms), start);
  clocks.begin_abort(start);
  clocks.begin_wait(start, Waits::for_itself);
  EXPECT_EQ(clocks.next_timer(), start + 1s);
}

}  // namespace
}  // namespace cordon::host
