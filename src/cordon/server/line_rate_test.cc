#include "cordon/server/line_rate.h"

#include <gtest/gtest.h>

namespace cordon::server {
namespace {

using namespace std::chrono_literals;

TEST(LineRate, LetsSoManyLinesPassInASecond) {
  LineRate rate(2);
  const Instant start = Instant() + 1h;
  EXPECT_TRUE(rate.take(start));
  EXPECT_TRUE(rate.take(start + 500ms));
  EXPECT_FALSE(rate.take(start + 600ms));
  EXPECT_FALSE(rate.take(start + 999ms));
  EXPECT_TRUE(rate.take(start + 1s));
  EXPECT_TRUE(rate.take(start + 1h));
}

TEST(LineRate, TellsOnceHowManyWereLeftOutWhenTheSecondIsOver) {
  LineRate rate(1);
  const Instant start = Instant() + 1h;
  EXPECT_EQ(rate.left_out(start), 0u);
  EXPECT_TRUE(rate.take(start));
  EXPECT_FALSE(rate.take(start));
  EXPECT_FALSE(rate.take(start));
  EXPECT_EQ(rate.left_out(start + 999ms), 0u);
  EXPECT_EQ(rate.left_out(start + 1s), 2u);
  EXPECT_EQ(rate.left_out(start + 2s), 0u);
}

}  // namespace
}  // namespace cordon::server
