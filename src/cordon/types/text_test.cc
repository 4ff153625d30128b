#include "cordon/types/text.h"

#include <limits>

#include <gtest/gtest.h>

namespace cordon::types {
namespace {

TEST(TypesText, WritesKeysBareWhereTheyAreIdentifiers) {
  EXPECT_EQ(property_key("amount_1"), "amount_1");
  EXPECT_EQ(property_key("delete"), "delete");
  EXPECT_EQ(property_key("$ref"), "$ref");
  EXPECT_EQ(property_key("1a"), R"("1a")");
  EXPECT_EQ(property_key("a-b"), R"("a-b")");
  EXPECT_EQ(property_key(""), R"("")");
  EXPECT_EQ(property_key("a\": never; \n}"), R"("a\": never; \n}")");
}

TEST(TypesText, WritesNumbersThatTypeScriptReads) {
  EXPECT_EQ(number_literal(-1.5), "-1.5");
  EXPECT_EQ(number_literal(1e21), "1e+21");
  EXPECT_EQ(number_literal(-0.0), "0");
  EXPECT_EQ(number_literal(std::numeric_limits<double>::infinity()), "number");
}

TEST(TypesText, WritesCommentsThatNoTextEnds) {
  EXPECT_EQ(doc_comment("", 1), "");
  EXPECT_EQ(doc_comment(" \n \r\n", 1), "");
  EXPECT_EQ(doc_comment("One line.", 1), "  /** One line. */\n");
  EXPECT_EQ(doc_comment("a */ function b(): void; /*", 0),
            "/** a *\\/ function b(): void; /* */\n");
  EXPECT_EQ(doc_comment("first\r\n\r\nthird  \rlast\n", 1),
            "  /**\n   * first\n   *\n   * third\n   * last\n   */\n");
  EXPECT_EQ(doc_comment("a\xE2\x80\xA8z\x1b[31m", 0), "/** a\\u2028z\\x1b[31m */\n");
}

TEST(TypesText, KeepsTheCompilersDirectivesOffTheLastLine) {
  EXPECT_EQ(doc_comment("@ts-expect-error", 0), "/**\n * @ts-expect-error\n */\n");
}

}  // namespace
}  // namespace cordon::types
