#include "cordon/tools/safe_name.h"

#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace cordon::tools {
namespace {

TEST(SafeName, IsTheTextWhereThatIsAnIdentifier) {
  for (const char* name : {"a", "scrape", "camelCase", "a1", "$", "$el", "a_b", "a__b", "A"}) {
    EXPECT_EQ(safe_name(name), name);
    EXPECT_TRUE(is_identifier(name)) << name;
  }
}

TEST(SafeName, HasAnUnderscoreForEachRunOfOtherCharacters) {
  EXPECT_EQ(safe_name("scrape-url"), "scrape_url");
  EXPECT_EQ(safe_name("a - b"), "a_b");
  EXPECT_EQ(safe_name("a.b/c:d"), "a_b_c_d");
  EXPECT_EQ(safe_name("prix €"), "prix");
  EXPECT_EQ(safe_name("grüße"), "gr_e");
  EXPECT_EQ(safe_name("a_-b"), "a__b") << "an underscore is no other character";
  EXPECT_EQ(safe_name(std::string_view("a\0b", 3)), "a_b");
}

TEST(SafeName, HasNoUnderscoresAtItsEdges) {
  EXPECT_EQ(safe_name("_a_"), "a");
  EXPECT_EQ(safe_name("  a  "), "a");
  EXPECT_EQ(safe_name("--a--"), "a");
  EXPECT_EQ(safe_name("__proto__"), "proto");
}

TEST(SafeName, HasOneBeforeADigitBehindAReservedWordAndInPlaceOfNothing) {
  EXPECT_EQ(safe_name("2fa"), "_2fa");
  EXPECT_EQ(safe_name("delete"), "delete_");
  EXPECT_EQ(safe_name("-await-"), "await_");
  EXPECT_EQ(safe_name("enum"), "enum_");
  EXPECT_EQ(safe_name("Delete"), "Delete");
  EXPECT_EQ(safe_name(""), "_");
  EXPECT_EQ(safe_name("___"), "_");
  EXPECT_EQ(safe_name("→"), "_");
}

TEST(SafeName, KnowsWhatIsNoIdentifier) {
  for (const char* name : {"", "1a", "a-b", "a b", "class", "yield", "ä", "a.b", "undefined"}) {
    EXPECT_FALSE(is_identifier(name)) << name;
  }
}

RC_GTEST_PROP(SafeName, IsAnIdentifierWhateverTheText, (const std::string& text)) {
  RC_ASSERT(is_identifier(safe_name(text)));
}

}  // namespace
}  // namespace cordon::tools
