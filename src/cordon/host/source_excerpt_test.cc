#include "cordon/host/source_excerpt.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view text = "one\ntwo\r\nthree\nfour\n";

TEST(SourceExcerpt, HasTheLineAndTwoBeforeIt) {
  const SourceExcerpt excerpt = excerpt_of(text, 1, {"f", 4, 3});
  EXPECT_EQ(excerpt.first_line, 2u);
  EXPECT_THAT(excerpt.lines, ElementsAre("two", "three", "four"));
  EXPECT_EQ(excerpt.before, "fo");
  EXPECT_THAT(excerpt_of(text, 1, {"f", 1, 1}).lines, ElementsAre("one"));
  EXPECT_EQ(excerpt_of(text, 1, {"f", 1, 99}).before, "one");
}

TEST(SourceExcerpt, CountsFromTheFirstLineOfTheText) {
  const SourceExcerpt excerpt = excerpt_of(text, 10, {"f", 11, 1});
  EXPECT_EQ(excerpt.first_line, 10u);
  EXPECT_THAT(excerpt.lines, ElementsAre("one", "two"));
}

TEST(SourceExcerpt, KnowsEveryEndOfALine) {
  EXPECT_THAT(excerpt_of("one\rtwo\r\n\rfour", 1, {"f", 4, 1}).lines,
              ElementsAre("two", "", "four"));
}

TEST(SourceExcerpt, CountsUtf16Units) {
  EXPECT_EQ(excerpt_of("'é😀' + x", 1, {"f", 1, 9}).before, "'é😀' + ");
}

TEST(SourceExcerpt, IsEmptyForAPlaceThatIsNotThere) {
  EXPECT_THAT(excerpt_of(text, 1, {"f", 9, 1}).lines, IsEmpty());
  EXPECT_THAT(excerpt_of(text, 1, {"f", 4'000'000'000, 1}).lines, IsEmpty());
  EXPECT_THAT(excerpt_of(text, 1, {"f", 0, 1}).lines, IsEmpty());
  EXPECT_THAT(excerpt_of(text, 1, {"f", 1, 0}).lines, IsEmpty());
  EXPECT_THAT(excerpt_of(text, 5, {"f", 4, 1}).lines, IsEmpty());
}

TEST(SourceExcerpt, ShowsOfALongLineWhatIsAroundThePlace) {
  std::string line;
  for (int i = 0; i < 100'000; ++i) line += "é";
  const SourceExcerpt excerpt = excerpt_of(line, 1, {"f", 1, 50'000});
  ASSERT_EQ(excerpt.lines.size(), 1u);
  EXPECT_LT(excerpt.lines[0].size(), 200u);
  EXPECT_TRUE(excerpt.lines[0].starts_with(excerpt.before));
  EXPECT_TRUE(excerpt.before.starts_with("…é"));
  EXPECT_TRUE(excerpt.lines[0].ends_with("é…"));
}

}  // namespace
}  // namespace cordon::host
