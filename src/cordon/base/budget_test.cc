#include "cordon/base/budget.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "cordon/base/budget_allocator.h"

namespace cordon {
namespace {

using namespace std::chrono_literals;

TEST(Budget, TakesAllOrNothing) {
  Budget budget({.bytes = 100});
  EXPECT_TRUE(budget.take(60));
  EXPECT_FALSE(budget.take(41));
  EXPECT_EQ(budget.used(), 60u);
  EXPECT_TRUE(budget.take(40));
  EXPECT_EQ(budget.left(), 0u);
  EXPECT_FALSE(budget.take(1));
  EXPECT_TRUE(budget.take(0));
}

TEST(Budget, RemembersTheMostThatWasTakenAtOnce) {
  Budget budget({.bytes = 100});
  ASSERT_TRUE(budget.take(70));
  budget.give_back(50);
  ASSERT_TRUE(budget.take(10));
  EXPECT_EQ(budget.used(), 30u);
  EXPECT_EQ(budget.peak(), 70u);
}

TEST(Budget, DoesNotWrapAroundForHugeNumbers) {
  Budget budget({.bytes = 100});
  ASSERT_TRUE(budget.take(50));
  EXPECT_FALSE(budget.take(std::numeric_limits<std::size_t>::max()));
  EXPECT_FALSE(budget.take(std::numeric_limits<std::size_t>::max() - 40));
}

TEST(Budget, NeverGivesOutMoreThanItHasToManyThreads) {
  Budget budget({.bytes = 1000});
  std::atomic<std::size_t> taken = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < 1000; ++n)
          if (budget.take(3)) taken += 3;
      });
    }
  }
  EXPECT_EQ(taken, 999u);
  EXPECT_EQ(budget.used(), 999u);
}

TEST(Budget, CountsTimeDownToNothing) {
  Budget budget({.time = 50ms});
  budget.spend(20ms);
  EXPECT_EQ(budget.time_left(), 30ms);
  budget.spend(-5ms);
  EXPECT_EQ(budget.time_left(), 30ms);
  budget.spend(40ms);
  EXPECT_EQ(budget.time_left(), 0ms);
}

TEST(Budget, OfAMessageGrowsWithItAndHasRoomForAnySmallOne) {
  EXPECT_EQ(Budget::for_message(1000), nullptr);
  EXPECT_EQ(Budget::for_message(std::size_t{1} << 20)->limits().bytes, Budget::min_message_bytes);
  EXPECT_EQ(Budget::for_message(std::size_t{64} << 20)->limits().bytes,
            Budget::max_bytes_per_byte * (std::size_t{64} << 20));
}

TEST(Charge, GivesItsBytesBackAtItsEnd) {
  const auto budget = std::make_shared<Budget>(Budget::Limits{.bytes = 100});
  {
    Charge charge(budget);
    EXPECT_TRUE(charge.add(60));
    EXPECT_FALSE(charge.add(60));
    const Charge moved = std::move(charge);
    EXPECT_EQ(budget->used(), 60u);
    EXPECT_EQ(moved.bytes(), 60u);
  }
  EXPECT_EQ(budget->used(), 0u);
}

TEST(Charge, GivesBackWhatItHadWhenItTakesAnothersPlace) {
  const auto budget = std::make_shared<Budget>(Budget::Limits{.bytes = 100});
  Charge first(budget);
  ASSERT_TRUE(first.add(60));
  Charge second(budget);
  ASSERT_TRUE(second.add(30));
  first = std::move(second);
  EXPECT_EQ(budget->used(), 30u);
}

TEST(Charge, WithoutABudgetCostsNothing) {
  Charge charge;
  EXPECT_TRUE(charge.add(std::numeric_limits<std::size_t>::max()));
  EXPECT_NO_THROW(charge.require(1));
}

TEST(Charge, ThrowsForAllocatorsThatHaveNoOtherWayToFail) {
  Charge charge(std::make_shared<Budget>(Budget::Limits{.bytes = 10}));
  EXPECT_THROW(charge.require(11), OverBudget);
  EXPECT_NO_THROW(charge.require(10));
}

TEST(Budget, MayBePartOfALargerOne) {
  const auto whole = std::make_shared<Budget>(Budget::Limits{.bytes = 100});
  Budget one({.bytes = 80}, whole);
  Budget other({.bytes = 80}, whole);
  EXPECT_TRUE(one.take(70));
  EXPECT_EQ(whole->used(), 70u);
  EXPECT_FALSE(one.take(20));
  EXPECT_FALSE(one.was_refused_by_whole());  // its own limit
  EXPECT_FALSE(other.take(40));
  EXPECT_TRUE(other.was_refused_by_whole());
  EXPECT_EQ(other.used(), 0u);
  EXPECT_EQ(whole->used(), 70u);
  one.give_back(70);
  EXPECT_EQ(whole->used(), 0u);
  EXPECT_TRUE(other.take(80));
}

TEST(BudgetVector, TakesItsRoomFromTheBudgetAndGivesItBack) {
  Budget budget({.bytes = 1'000});
  {
    BudgetVector<std::uint64_t> numbers(&budget);
    numbers.reserve(50);
    EXPECT_EQ(budget.used(), 400u);
    EXPECT_THROW(numbers.reserve(100), OverBudget) << "both are there while it grows";
    EXPECT_EQ(budget.used(), 400u);
    numbers.reserve(60);
    EXPECT_EQ(budget.used(), 480u);
    EXPECT_EQ(budget.peak(), 880u);
  }
  EXPECT_EQ(budget.used(), 0u);
  BudgetVector<std::uint64_t> free_of_charge(nullptr);
  free_of_charge.resize(1'000);
  EXPECT_EQ(budget.used(), 0u);
}

}  // namespace
}  // namespace cordon
