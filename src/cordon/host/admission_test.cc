#include "cordon/host/admission.h"

#include <condition_variable>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace cordon::host {
namespace {

using Doors = Admission<int>;
using Slot = Doors::Slot;
using Place = Doors::Place;

bool is_refused(const auto& entry) { return std::holds_alternative<std::monostate>(entry); }

TEST(Admission, GivesSlotsThenPlacesThenNothing) {
  Doors doors(1, 1);
  const auto first = doors.enter(1);
  const auto second = doors.enter(2);
  EXPECT_TRUE(std::holds_alternative<Slot>(first));
  EXPECT_TRUE(std::holds_alternative<Place>(second));
  EXPECT_TRUE(is_refused(doors.enter(3)));
  EXPECT_EQ(doors.used(), 1u);
  EXPECT_EQ(doors.queued(), 1u);
}

TEST(Admission, PassesASlotToTheFirstThatWaits) {
  Doors doors(1, 10);
  auto first = doors.enter(1);
  const auto second = doors.enter(2);
  const auto third = doors.enter(3);
  auto next = doors.pass_on(std::get<Slot>(std::move(first)));
  ASSERT_TRUE(next);
  EXPECT_EQ(next->waiter, 2);
  next = doors.pass_on(std::move(next->slot));
  ASSERT_TRUE(next);
  EXPECT_EQ(next->waiter, 3);
  EXPECT_FALSE(doors.pass_on(std::move(next->slot)));
  EXPECT_EQ(doors.used(), 0u);
  EXPECT_TRUE(std::holds_alternative<Slot>(doors.enter(4)));
}

TEST(Admission, LetsThoseThatHaveBegunGoBeforeThoseThatAreNew) {
  Doors doors(1, 10);
  auto first = doors.enter(1);
  const auto second = doors.enter(2);
  EXPECT_FALSE(doors.enter_again(3));
  EXPECT_FALSE(doors.enter_again(4));
  auto next = doors.pass_on(std::get<Slot>(std::move(first)));
  EXPECT_EQ(next->waiter, 3);
  next = doors.pass_on(std::move(next->slot));
  EXPECT_EQ(next->waiter, 4);
  next = doors.pass_on(std::move(next->slot));
  EXPECT_EQ(next->waiter, 2);
}

TEST(Admission, GivesThoseThatHaveBegunASlotThatIsFree) {
  Doors doors(1, 0);
  EXPECT_TRUE(doors.enter_again(1));
  EXPECT_EQ(doors.used(), 0u) << "the token is gone";
}

TEST(Admission, QueuesThoseThatHaveBegunPastAnyLimit) {
  Doors doors(1, 0);
  auto first = doors.enter(1);
  EXPECT_FALSE(doors.enter_again(2));
  EXPECT_TRUE(is_refused(doors.enter(3)));
  EXPECT_EQ(doors.queued(), 0u);
  EXPECT_EQ(doors.pass_on(std::get<Slot>(std::move(first)))->waiter, 2);
}

TEST(Admission, FreesThePlaceOfOneThatLeft) {
  Doors doors(1, 1);
  auto first = doors.enter(1);
  auto second = doors.enter(2);
  second = std::monostate();
  EXPECT_EQ(doors.queued(), 0u);
  const auto third = doors.enter(3);
  EXPECT_TRUE(std::holds_alternative<Place>(third));
  // The one that left still comes first; the slot is passed on again.
  auto next = doors.pass_on(std::get<Slot>(std::move(first)));
  EXPECT_EQ(next->waiter, 2);
  next = doors.pass_on(std::move(next->slot));
  EXPECT_EQ(next->waiter, 3);
}

TEST(Admission, TakesARefusalForNoWish) {
  Doors doors(1, 0);
  auto first = doors.enter(1);
  EXPECT_TRUE(is_refused(doors.enter(2)));
  EXPECT_FALSE(doors.pass_on(std::get<Slot>(std::move(first))));
  EXPECT_TRUE(std::holds_alternative<Slot>(doors.enter(3)));
}

TEST(Admission, ForgetsThoseThatWait) {
  Doors doors(1, 10);
  auto first = doors.enter(1);
  const auto second = doors.enter(2);
  EXPECT_FALSE(doors.enter_again(3));
  doors.clear();
  EXPECT_FALSE(doors.pass_on(std::get<Slot>(std::move(first))));
  EXPECT_EQ(doors.used(), 0u);
}

// Everybody who enters gets a slot in the end, and never more than there are.
TEST(Admission, LosesNobodyAmongThreads) {
  constexpr int slots = 2;
  constexpr int threads = 4;
  constexpr int rounds = 5'000;
  Doors doors(slots, threads * rounds);
  std::atomic<int> inside = 0;
  std::atomic<int> served = 0;
  std::atomic<bool> too_many = false;
  const auto serve = [&](Slot slot) {
    while (slot) {
      if (++inside > slots) too_many = true;
      ++served;
      --inside;
      auto next = doors.pass_on(std::move(slot));
      slot = next ? std::move(next->slot) : Slot();
    }
  };
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) {
    all.emplace_back([&] {
      std::vector<Place> places;
      for (int round = 0; round < rounds; ++round) {
        if (round % 3 == 0) {
          serve(doors.enter_again(round));
          continue;
        }
        auto entry = doors.enter(round);
        if (auto* slot = std::get_if<Slot>(&entry)) serve(std::move(*slot));
        if (auto* place = std::get_if<Place>(&entry)) places.push_back(std::move(*place));
      }
    });
  }
  for (std::thread& thread : all) thread.join();
  EXPECT_FALSE(too_many);
  EXPECT_EQ(served, threads * rounds);
  EXPECT_EQ(doors.used(), 0u);
}

}  // namespace
}  // namespace cordon::host
