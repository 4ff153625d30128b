#include "cordon/providers/id_pattern.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cordon::providers {
namespace {

TEST(IdPattern, MatchesItselfAndNothingElse) {
  EXPECT_TRUE(matches("app.tasks.add", "app.tasks.add"));
  EXPECT_FALSE(matches("app.tasks.add", "app.tasks.adds"));
  EXPECT_FALSE(matches("app.tasks.add", "app.tasks.ad"));
  EXPECT_FALSE(matches("app.tasks.add", "appxtasks.add"));
  EXPECT_FALSE(matches("", "a"));
  EXPECT_TRUE(matches("", ""));
}

TEST(IdPattern, TakesAnyTextForAStar) {
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("*", "app.tasks.add"));
  EXPECT_TRUE(matches("app.*", "app.tasks.add"));
  EXPECT_TRUE(matches("app.*", "app."));
  EXPECT_FALSE(matches("app.*", "app"));
  EXPECT_FALSE(matches("app.*", "shop.tasks.add"));
  EXPECT_TRUE(matches("*.add", "app.tasks.add"));
  EXPECT_TRUE(matches("app.*.add", "app.a.add.add"));
  EXPECT_TRUE(matches("a**c", "abc"));
  EXPECT_TRUE(matches("*a*b*", "xxaxxbxx"));
  EXPECT_FALSE(matches("*a*b*", "xxbxxaxx"));
}

TEST(IdPattern, TakesNoLongerForManyStars) {
  std::string pattern;
  for (int i = 0; i < 500; ++i) pattern += "*a";
  EXPECT_FALSE(matches(pattern + "b", std::string(10'000, 'a')));
  EXPECT_TRUE(matches(pattern, std::string(10'000, 'a')));
}

TEST(IdPattern, IsOneOfSeveral) {
  const std::vector<std::string> patterns = {"app.*", "shop.buy"};
  EXPECT_TRUE(matches_any(patterns, "shop.buy"));
  EXPECT_TRUE(matches_any(patterns, "app.x"));
  EXPECT_FALSE(matches_any(patterns, "shop.sell"));
  EXPECT_FALSE(matches_any({}, ""));
  EXPECT_TRUE(is_pattern("app.*"));
  EXPECT_FALSE(is_pattern("app.x"));
}

}  // namespace
}  // namespace cordon::providers
