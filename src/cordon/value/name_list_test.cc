#include "cordon/value/name_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon {
namespace {

NameList numbered(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back("name" + std::to_string(i));
  return names;
}

TEST(NameList, FindsEachOfFewAndOfManyNames) {
  for (const std::size_t count : {0u, 1u, 16u, 17u, 64u, 1000u}) {
    const NameList names = numbered(count);
    ASSERT_EQ(names.size(), count);
    for (std::uint32_t i = 0; i < count; ++i) {
      EXPECT_EQ(names.find(names[i]), i);
      EXPECT_EQ(names.find("Name" + std::to_string(i)), std::nullopt);
    }
    EXPECT_EQ(names.find("name" + std::to_string(count)), std::nullopt);
    EXPECT_EQ(names.find(""), std::nullopt);
    EXPECT_EQ(names.find(std::string(100'000, 'n')), std::nullopt);
  }
}

TEST(NameList, FindsTheLastOfEqualNames) {
  std::vector<std::string> names = {"a", "b", "a", ""};
  EXPECT_EQ(NameList(names).find("a"), 2u);
  EXPECT_EQ(NameList(names).find(""), 3u);
  for (int i = 0; i < 20; ++i) names.push_back("a");
  EXPECT_EQ(NameList(names).find("a"), 23u);
  EXPECT_EQ(NameList(names).find("b"), 1u);
}

TEST(NameList, KnowsWhetherANameComesTwice) {
  for (const std::size_t count : {0u, 1u, 16u, 17u, 1000u}) {
    EXPECT_FALSE(NameList(numbered(count)).has_equal_names()) << count;
  }
  EXPECT_TRUE(NameList({"a", "b", "a"}).has_equal_names());
  EXPECT_TRUE(NameList(std::vector<std::string>(100, "same")).has_equal_names());
}

TEST(NameList, KeepsItsOrderAndSharesItsNames) {
  const NameList names = {"z", "a"};
  EXPECT_THAT(names, testing::ElementsAre("z", "a"));
  const NameList copy = names;
  EXPECT_EQ(copy.begin(), names.begin());
  EXPECT_EQ(copy, names);
  EXPECT_EQ(NameList({"z", "a"}), names);
  EXPECT_FALSE(NameList({"a", "z"}) == names);
  EXPECT_EQ(NameList(), NameList(std::vector<std::string>()));
}

TEST(NameList, KnowsWhetherItsNamesAreUtf8) {
  EXPECT_TRUE(NameList().is_utf8());
  EXPECT_TRUE(NameList({"a", "ä"}).is_utf8());
  EXPECT_FALSE(NameList({"a", "\xff"}).is_utf8());
  EXPECT_FALSE(NameList({"\xed\xa0\x80"}).is_utf8());  // a lone surrogate
}

}  // namespace
}  // namespace cordon
