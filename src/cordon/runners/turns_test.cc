#include "cordon/runners/turns.h"

#include <gtest/gtest.h>

namespace cordon::runners {
namespace {

TEST(Turns, AreGivenInTheOrderOfAsking) {
  Turns<int> turns(1, 3);
  const auto first = std::make_shared<int>(1);
  const auto second = std::make_shared<int>(2);
  const auto third = std::make_shared<int>(3);
  EXPECT_EQ(turns.take(first), Turn::now);
  EXPECT_EQ(turns.take(second), Turn::later);
  EXPECT_EQ(turns.take(third), Turn::later);
  EXPECT_EQ(turns.pass_on(), second);
  EXPECT_EQ(turns.running(), 1U);
  EXPECT_EQ(turns.waiting(), 1U);
  EXPECT_EQ(turns.pass_on(), third);
  EXPECT_EQ(turns.pass_on(), nullptr);
  EXPECT_EQ(turns.running(), 0U);
}

TEST(Turns, AreRefusedWhereTooManyWait) {
  Turns<int> turns(1, 1);
  const auto one = std::make_shared<int>(1);
  const auto other = std::make_shared<int>(2);
  EXPECT_EQ(turns.take(one), Turn::now);
  EXPECT_EQ(turns.take(other), Turn::later);
  EXPECT_EQ(turns.take(one), Turn::refused);
  EXPECT_TRUE(turns.leave(*other));
  EXPECT_FALSE(turns.leave(*other));
  EXPECT_FALSE(turns.leave(*one)) << "it has its turn";
  EXPECT_EQ(turns.waiting(), 0U);
  EXPECT_EQ(turns.take(other), Turn::later);
}

}  // namespace
}  // namespace cordon::runners
