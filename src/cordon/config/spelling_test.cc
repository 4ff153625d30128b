#include "cordon/config/spelling.h"

#include <vector>

#include <gtest/gtest.h>

namespace cordon::config {
namespace {

const std::vector<std::string> keys = {"timeoutMs", "memoryLimitBytes", "maxLogLines",
                                       "maxLogChars"};

TEST(Spelling, FindsTheNameThatWasMeant) {
  EXPECT_EQ(nearest("timeoutms", keys), "timeoutMs");
  EXPECT_EQ(nearest("timeout", keys), "timeoutMs");
  EXPECT_EQ(nearest("tiemoutMs", keys), "timeoutMs");
  EXPECT_EQ(nearest("memory_limit_bytes", keys), "memoryLimitBytes");
  EXPECT_EQ(nearest("maxLogLine", keys), "maxLogLines");
}

TEST(Spelling, GuessesNothingWhereNothingIsNear) {
  EXPECT_EQ(nearest("colour", keys), std::nullopt);
  EXPECT_EQ(nearest("", keys), std::nullopt);
  EXPECT_EQ(nearest(std::string(10'000, 't'), keys), std::nullopt);
}

TEST(Spelling, ListsTheNamesWhereNoneIsNear) {
  EXPECT_EQ(suggestion("timeout", keys, "keys here"), "did you mean \"timeoutMs\"?");
  EXPECT_EQ(suggestion("colour", keys, "keys here"),
            "the keys here are timeoutMs, memoryLimitBytes, maxLogLines and maxLogChars");
  EXPECT_EQ(suggestion("x", {}, "tasks"), "there are no tasks");
}

}  // namespace
}  // namespace cordon::config
