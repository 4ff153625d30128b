#include "cordon/providers/fair_places.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace cordon::providers {
namespace {

class FairPlacesTest : public testing::Test {
 protected:
  // A place that is freed goes to the next, which is added here.
  void TearDown() override {
    while (!running.empty()) std::exchange(running, {});
  }
  // `who` is one letter, which is written down when the call starts.
  void ask(const std::string& who) {
    places->ask(owner(who), [this, who](FairPlaces::Place place) {
      started += who;
      running.push_back(std::move(place));
    });
  }
  const void* owner(const std::string& who) const {
    return &owners[static_cast<std::size_t>(who[0])];
  }
  void end_first() {
    FairPlaces::Place place = std::move(running.front());
    running.erase(running.begin());
  }

  std::shared_ptr<FairPlaces> places = std::make_shared<FairPlaces>(4);
  std::string started;
  std::vector<FairPlaces::Place> running;
  char owners[128] = {};
};

TEST_F(FairPlacesTest, RunsNoMoreThanItHas) {
  for (const char* who : {"a", "b", "c", "d", "e", "f"}) ask(who);
  EXPECT_EQ(started, "abcd");
  end_first();
  EXPECT_EQ(started, "abcde");
  end_first();
  end_first();
  EXPECT_EQ(started, "abcdef");
}

TEST_F(FairPlacesTest, LeavesHalfOfThemToOthers) {
  for (int i = 0; i < 5; ++i) ask("a");
  EXPECT_EQ(started, "aa");
  ask("b");
  EXPECT_EQ(started, "aab");
  end_first();
  EXPECT_EQ(started, "aaba");
}

TEST_F(FairPlacesTest, LetsThoseWhoWaitTakeTurns) {
  for (const char* who : {"w", "x", "y", "z"}) ask(who);
  for (int i = 0; i < 3; ++i) ask("a");
  for (int i = 0; i < 3; ++i) ask("b");
  while (!running.empty()) end_first();
  EXPECT_EQ(started, "wxyzababab");
}

TEST_F(FairPlacesTest, StartsALongQueueWithoutADeepStack) {
  int count = 0;
  for (int i = 0; i < 4; ++i) ask(std::string(1, static_cast<char>('a' + i)));
  for (int i = 0; i < 200'000; ++i) {
    places->ask(owner("q"), [&count](const FairPlaces::Place&) { ++count; });
  }
  EXPECT_EQ(count, 0);
  end_first();
  EXPECT_EQ(count, 200'000);
}

TEST_F(FairPlacesTest, WorksWithOnePlace) {
  places = std::make_shared<FairPlaces>(1);
  ask("a");
  ask("a");
  EXPECT_EQ(started, "a");
  end_first();
  EXPECT_EQ(started, "aa");
  running.clear();
}

}  // namespace
}  // namespace cordon::providers
