#include "cordon/tools/safe_name.h"

#include <set>
#include <string>
#include <vector>

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

TEST(SafeName, HasOneBehindAGlobalOfTheGuest) {
  EXPECT_EQ(safe_name("console"), "console_");
  EXPECT_EQ(safe_name("Object"), "Object_");
  EXPECT_EQ(safe_name("input"), "input_");
  EXPECT_EQ(safe_name("-structuredClone-"), "structuredClone_");
  EXPECT_EQ(safe_name("undefined"), "undefined_");
  EXPECT_EQ(safe_name("app.console"), "app_console");
  EXPECT_EQ(safe_name("object"), "object");
}

TEST(SafeNames, NumberTextsThatComeToTheSameName) {
  SafeNames names;
  EXPECT_EQ(names.take("app.tasks.add"), "app_tasks_add");
  EXPECT_EQ(names.take("app-tasks-add"), "app_tasks_add__2");
  EXPECT_EQ(names.take("app_tasks_add"), "app_tasks_add__3");
  EXPECT_EQ(names.take("delete"), "delete_");
  EXPECT_EQ(names.take("delete!"), "delete___2") << "edges go before the word is looked at";
}

TEST(SafeNames, AreDifferentWhateverTheTextsAre) {
  SafeNames names;
  EXPECT_EQ(names.take("a__2"), "a__2");
  EXPECT_EQ(names.take("a"), "a");
  EXPECT_EQ(names.take("a!"), "a__3") << "a__2 is taken by a text that is called so";
  EXPECT_EQ(names.take("a__2"), "a__2__2");
  EXPECT_EQ(names.take("a"), "a__4");
}

TEST(SafeNames, AreGivenQuicklyToThousandsOfEqualTexts) {
  // With a look at each earlier number this would be 5,000,000,000 steps.
  SafeNames names;
  std::string last;
  for (int i = 0; i < 100'000; ++i) last = names.take("same");
  EXPECT_EQ(last, "same__100000");
}

TEST(SafeName, KnowsWhatIsNoIdentifier) {
  for (const char* name : {"", "1a", "a-b", "a b", "class", "yield", "ä", "a.b", "undefined"}) {
    EXPECT_FALSE(is_identifier(name)) << name;
  }
}

RC_GTEST_PROP(SafeName, IsAnIdentifierWhateverTheText, (const std::string& text)) {
  RC_ASSERT(is_identifier(safe_name(text)));
}

RC_GTEST_PROP(SafeNames, AreDifferentIdentifiers, (const std::vector<std::string>& texts)) {
  SafeNames names;
  std::set<std::string> taken;
  for (const std::string& text : texts) {
    const std::string next = names.next(text);
    const std::string name = names.take(text);
    RC_ASSERT(name == next);
    RC_ASSERT(is_identifier(name));
    RC_ASSERT(taken.insert(name).second);
  }
}

}  // namespace
}  // namespace cordon::tools
