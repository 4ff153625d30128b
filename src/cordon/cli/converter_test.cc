#include "cordon/cli/converter.h"

#include <string>

#include <gtest/gtest.h>

namespace cordon::cli {
namespace {

TEST(Hex, GoesBothWays) {
  const std::string bytes("\x00\x7f\x80\xff", 4);
  EXPECT_EQ(to_hex(bytes), "007f80ff");
  EXPECT_EQ(from_hex("007f80ff").value(), bytes);
  EXPECT_EQ(from_hex(" 007F80fF\r").value(), bytes);
  EXPECT_EQ(from_hex("").value(), "");
  EXPECT_EQ(from_hex(" \t").value(), "");
}

TEST(Hex, TellsTheColumnOfWhatIsNone) {
  EXPECT_EQ(from_hex("00g0").error().message, "not hexadecimal at column 3");
  EXPECT_EQ(from_hex("000").error().message, "not hexadecimal at column 4");
  EXPECT_EQ(from_hex("0 0").error().message, "not hexadecimal at column 2");
}

}  // namespace
}  // namespace cordon::cli
