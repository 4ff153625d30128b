#include "cordon/base/random.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace cordon {
namespace {

TEST(Randomness, FillsAllOfTheBytes) {
  // More than one call of the system may give at once. That every tenth part stays zero by chance
  // is out of the question.
  std::vector<std::uint8_t> bytes(100'000);
  ASSERT_TRUE(fill_with_randomness(bytes));
  for (std::size_t from = 0; from < bytes.size(); from += 10'000) {
    const auto part = std::span(bytes).subspan(from, 10'000);
    EXPECT_TRUE(std::ranges::any_of(part, [](std::uint8_t byte) { return byte != 0; })) << from;
  }
  EXPECT_TRUE(fill_with_randomness({}));
}

}  // namespace
}  // namespace cordon
