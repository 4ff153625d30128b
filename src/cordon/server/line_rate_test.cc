#include "cordon/server/line_rate.h"

#include <gtest/gtest.h>

namespace cordon::server {
namespace {

using namespace std::chrono_literals;

TEST(LineRate, LetsSoManyLinesPassInASecondAndCountsTheOthers) {
  LineRate rate(2);
  const Instant start = Instant() + 1h;
  EXPECT_EQ(rate.take(start), 0u);
  EXPECT_EQ(rate.take(start + 500ms), 0u);
  EXPECT_EQ(rate.take(start + 600ms), std::nullopt);
  EXPECT_EQ(rate.take(start + 999ms), std::nullopt);
  EXPECT_EQ(rate.take(start + 1s), 2u);
  EXPECT_EQ(rate.take(start + 1s), 0u);
  EXPECT_EQ(rate.take(start + 1s), std::nullopt);
  EXPECT_EQ(rate.take(start + 1h), 1u);
}

}  // namespace
}  // namespace cordon::server
