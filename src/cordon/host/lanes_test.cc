#include "cordon/host/lanes.h"

#include <array>
#include <thread>

#include <gtest/gtest.h>

#include "cordon/host/scheduler.h"

namespace cordon::host {
namespace {

using namespace std::chrono_literals;
using Queue = Lane::Queue;

// Executions that are never submitted, so no guest is made for them.
class LaneTest : public testing::Test {
 protected:
  Lane::Shared execution() {
    return std::make_shared<ExecutionState>(scheduler_, ProgramText{.source = "1"},
                                            ExecuteOptions(), start);
  }
  static ExecutionState* taken(std::optional<Lane::Taken> next) {
    return next ? next->execution.get() : nullptr;
  }

  static constexpr Instant start{1h};

 private:
  const std::shared_ptr<Scheduler> scheduler_ =
      *Scheduler::create({.workers = 0, .slots = 1, .pool = false});
};

TEST_F(LaneTest, GivesEachQueueInItsOrder) {
  Lane lane;
  const std::array made = {execution(), execution(), execution()};
  lane.push(Queue::fresh, made[0]);
  lane.push(Queue::spent, made[1]);
  lane.push(Queue::fresh, made[2]);
  EXPECT_TRUE(lane.has_ready());
  EXPECT_TRUE(lane.may_have(Queue::spent));
  EXPECT_EQ(taken(lane.take(Queue::fresh)), made[0].get());
  EXPECT_EQ(taken(lane.take(Queue::fresh)), made[2].get());
  EXPECT_EQ(taken(lane.take(Queue::fresh)), nullptr);
  EXPECT_EQ(taken(lane.take(Queue::spent)), made[1].get());
  EXPECT_FALSE(lane.has_ready());
  EXPECT_FALSE(lane.may_have(Queue::spent));
}

TEST_F(LaneTest, LetsSpentOnesGoFirstEveryEighthTime) {
  Lane lane;
  int spent = 0;
  for (int i = 0; i < 80; ++i) spent += lane.first_queue() == Queue::spent;
  EXPECT_EQ(spent, 10);
}

TEST_F(LaneTest, HasTheFirstTimerFirst) {
  Lane lane;
  const auto early = execution();
  const auto late = execution();
  EXPECT_TRUE(lane.set_timer(*late, start + 2s));
  EXPECT_TRUE(lane.set_timer(*early, start + 1s)) << "it is the first now";
  EXPECT_FALSE(lane.set_timer(*late, start + 3s));
  EXPECT_EQ(lane.first_timer(), start + 1s);
  EXPECT_FALSE(lane.may_be_due(start));
  EXPECT_EQ(lane.take_due(start), nullptr);
  EXPECT_TRUE(lane.may_be_due(start + 1s));
  EXPECT_EQ(lane.take_due(start + 1s), early);
  EXPECT_EQ(lane.take_due(start + 1s), nullptr) << "its timer went with it";
  lane.set_timer(*late, std::nullopt);
  EXPECT_EQ(lane.first_timer(), std::nullopt);
}

TEST_F(LaneTest, ForgetsThoseThatLivedInAnyOrder) {
  Lane lane;
  const std::array made = {execution(), execution(), execution()};
  for (const auto& one : made) lane.add_living(one);
  lane.remove_living(*made[0]);
  lane.remove_living(*made[2]);
  ASSERT_EQ(lane.living.size(), 1u);
  EXPECT_EQ(lane.living[0], made[1]);
}

TEST_F(LaneTest, OfAWorkerIsWhereItsNewOnesGo) {
  Lanes lanes(2);
  EXPECT_NE(&lanes.for_new(), &lanes.for_new()) << "those of others go to each in turn";
  lanes.own(1);
  Lane& own = lanes.for_new();
  EXPECT_EQ(&own, &lanes.for_new());
  std::thread([&] { EXPECT_NE(&lanes.for_new(), &lanes.for_new()); }).join();
}

TEST_F(LaneTest, IsTakenFromByOthersBeforeTheyTakeWhatIsLessUrgent) {
  Lanes lanes(2);
  Lane& home = lanes.first();
  Lane& other = **std::next(lanes.begin());
  const auto spent_here = execution();
  const auto fresh_there = execution();
  home.push(Queue::spent, spent_here);
  other.push(Queue::fresh, fresh_there);
  EXPECT_TRUE(lanes.has_ready());
  EXPECT_EQ(taken(lanes.take_next(home)), fresh_there.get());
  EXPECT_EQ(taken(lanes.take_next(home)), spent_here.get());
  EXPECT_EQ(taken(lanes.take_next(home)), nullptr);
  EXPECT_TRUE(lanes.nothing_lives());
}

}  // namespace
}  // namespace cordon::host
