#include "cordon/base/ascii.h"

#include <gtest/gtest.h>

namespace cordon {
namespace {

TEST(Ascii, LowersItsOwnLettersAndNothingElse) {
  for (int i = 0; i < 256; ++i) {
    const char c = static_cast<char>(i);
    const bool is_upper = c >= 'A' && c <= 'Z';
    EXPECT_EQ(ascii_lower(c), is_upper ? static_cast<char>(c | 0x20) : c) << i;
  }
  EXPECT_EQ(ascii_lower_case("X-Runner-Token \xC3\x84"), "x-runner-token \xC3\x84");
}

TEST(Ascii, ComparesWithoutCase) {
  EXPECT_TRUE(equals_in_any_case("Content-Type", "content-tYPE"));
  EXPECT_FALSE(equals_in_any_case("content-type", "content-types"));
  EXPECT_FALSE(equals_in_any_case("[", "{")) << "32 apart, but no letters";
}

}  // namespace
}  // namespace cordon
