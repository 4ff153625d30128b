#include "cordon/js/encodings.h"

#include <string>

#include <gtest/gtest.h>

namespace cordon::js {
namespace {

// Kind and name. The numbers of the tables are nobody's business.
std::string named(std::string_view label) {
  const auto answer = encoding_of(label);
  if (!answer) return "none";
  return std::to_string((*answer)[0]) + " " + answer->substr(3);
}

TEST(Encodings, KnowTheLabelsOfTheStandard) {
  EXPECT_EQ(named("utf8"), "0 utf-8");
  EXPECT_EQ(named("latin1"), "3 windows-1252");
  EXPECT_EQ(named("gb2312"), "4 gbk");
  EXPECT_EQ(named("windows-31j"), "8 shift_jis");
  EXPECT_EQ(named("iso-2022-kr"), "11 replacement");
  for (const std::string_view wrong : {"", "utf-32", "UTF-8", " utf-8", "utf-7", "index gb18030"})
    EXPECT_EQ(named(wrong), "none") << wrong;
}

TEST(Encodings, HaveATableForEachThatNeedsOne) {
  const auto koi8 = encoding_of("koi8-r");
  ASSERT_TRUE(koi8.has_value());
  const auto table = encoding_table(static_cast<std::uint8_t>((*koi8)[1]));
  ASSERT_TRUE(table.has_value());
  ASSERT_EQ(table->size(), 256U);
  EXPECT_EQ(table->substr(0, 2), std::string("\0\x25", 2)) << "U+2500, little-endian";

  EXPECT_EQ(encoding_table(0)->size(), 2U * 126 * 190) << "gb18030";
  EXPECT_EQ(encoding_table(1)->size(), 4U * 208) << "its ranges";
  EXPECT_EQ(encoding_table(2)->size(), 2U * 126 * 157 + (126 * 157 + 7) / 8)
      << "Big5, with plane 2";
  EXPECT_FALSE(encoding_table(255).has_value());
}

}  // namespace
}  // namespace cordon::js
